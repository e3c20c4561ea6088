import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const isUnitTest = ({ moduleId, project }: TestSpecification): boolean =>
  moduleId.startsWith(`${project.config.root}/src/`)

/** Unit tests are short. With them at the end no worker waits long for the other one. */
class UnitTestsLast extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return [...sorted.filter((file) => !isUnitTest(file)), ...sorted.filter(isUnitTest)]
  }
}

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    reporters: ['default', './test/promise-reporter.ts'],
    globalSetup: ['./test/support/user-state.ts', './test/support/extra-certificates.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Tests with deadlines depend on the load of the machine. The reporter marks a test that passed the second time.
    retry: process.env.CI === undefined ? 0 : 1,
    // Most tests wait for programs that they started: with a worker for each core a quarter of the time is idle.
    maxWorkers: availableParallelism() + 1,
    // A process for each file would take a third of a second of processor time more for each of them. Therefore no file
    // of the tests leaves state in a module or in its process.
    isolate: false,
    sequence: { sequencer: UnitTestsLast },
  },
})

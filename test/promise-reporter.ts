import type { Reporter, TestModule } from 'vitest/node'
import { CITATIONS } from './citations.ts'

/** Why the tests with this title do not show the promise; undefined when they do. */
const problemOf = (module: TestModule, title: string): string | undefined => {
  const states = [...module.children.allTests()]
    .filter(({ fullName }) => fullName.includes(title))
    .map((test) => test.result().state)
  if (states.length === 0) return 'no test has this title'
  if (states.includes('failed')) return 'a test failed'
  // Tests of services that are not installed skip themselves. CI has every service, so a skip there is an error.
  return states.includes('passed') || process.env.CI === undefined ? undefined : 'every test was skipped'
}

/**
 * Fails the run when a promise, a threat or a bypass cites a test that does not exist or did not pass. Only the
 * files of this run are checked; `architecture.test.ts` checks that every cited file exists.
 */
export default class PromiseReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const isFiltered = modules[0]?.project.config.testNamePattern !== undefined
    const ran = new Map(modules.map((module) => [module.relativeModuleId, module]))
    const problems = CITATIONS.flatMap(([name, { shownBy }]) =>
      shownBy.flatMap(([path, title]) => {
        const module = ran.get(path)
        const problem = module === undefined || isFiltered ? undefined : problemOf(module, title)
        return problem === undefined ? [] : [`${name}: ${path}: "${title}": ${problem}`]
      }),
    )
    if (problems.length === 0) return
    process.stderr.write(`\nPromises without a passing test:\n  ${problems.join('\n  ')}\n`)
    process.exitCode = 1
  }
}

import { defineConfig } from 'vitest/config'

/** The procedures that take minutes: run before a release, not on every change. */
export default defineConfig({
  test: {
    include: ['test/**/*.long.ts'],
    reporters: ['default', './test/promise-reporter.ts'],
    globalSetup: ['./test/support/user-state.ts'],
    testTimeout: 1_800_000,
    hookTimeout: 60_000,
    fileParallelism: false,
  },
})

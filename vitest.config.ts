import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    reporters: ['default', './test/promise-reporter.ts'],
    globalSetup: ['./test/support/user-state.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Most tests wait for a program they started: one worker would leave the other core idle.
    maxWorkers: '100%',
  },
})

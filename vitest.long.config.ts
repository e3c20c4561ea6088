import { defineConfig } from 'vitest/config'

/** Tests of the normal run whose properties get more cases here (`test/support/case-count.ts`). */
const PROPERTIES = [
  'src/beliefs/graph/graph.test.ts',
  'src/gate/checks/suggest/suggest.test.ts',
  'src/gate/secrets/placeholders.test.ts',
  'src/kernel/encoding/pretty-json.test.ts',
  'src/kernel/text/gitignore.test.ts',
  'src/lineage/merkle.test.ts',
  'src/packets/minilm/model-artifact.test.ts',
  'src/packets/minilm/model.test.ts',
  'src/packets/minilm/token-list.test.ts',
  'src/packets/search/exact-search.test.ts',
  'test/contracts/evidence-file.test.ts',
  'test/contracts/postgres-log.test.ts',
  'test/contracts/sqlite-log.test.ts',
  'test/contracts/two-paths.test.ts',
  'test/e2e/beliefs-damage.test.ts',
  'test/e2e/beliefs-postgres.test.ts',
  'test/e2e/beliefs-tamper.test.ts',
  'test/e2e/cli.test.ts',
  'test/e2e/evidence-http.test.ts',
  'test/e2e/lifecycle.test.ts',
  'test/e2e/lineage-operator.test.ts',
  'test/e2e/packet-model.test.ts',
  'test/e2e/planted-links.test.ts',
  'test/e2e/project-cli.test.ts',
  'test/e2e/receipts-git.test.ts',
  'test/e2e/report-diagram.test.ts',
  'test/e2e/scg-concurrency.test.ts',
  'test/e2e/scg-determinism.test.ts',
  'test/e2e/scg-fuzz.test.ts',
  'test/e2e/scg-sanitizer.test.ts',
  'test/e2e/sentinel-jail.test.ts',
  'test/e2e/wire-hostile.test.ts',
  'test/e2e/wire-probe.test.ts',
  'test/fuzz/frames.test.ts',
  'test/history/checker.test.ts',
  'test/rules/hostile.test.ts',
]

/** The procedures that take minutes: run before a release, not on every change. */
export default defineConfig({
  test: {
    include: ['test/**/*.long.ts', ...PROPERTIES],
    env: { WARRANT_TEST_LONG: '1' },
    reporters: ['default', './test/promise-reporter.ts'],
    globalSetup: ['./test/support/user-state.ts'],
    testTimeout: 1_800_000,
    hookTimeout: 60_000,
    fileParallelism: false,
  },
})

/** What we promise, and the test that would catch us breaking it. A promise no test cites is not made. */
export interface Pledge {
  readonly says: string
  /** A test file, and a part of the names of the tests in it that show the promise. */
  readonly shownBy: readonly [file: string, title: string][]
}

export const PROMISES: Readonly<Record<string, Pledge>> = {
  'wire.rows': {
    says: 'Every malformed or unusual line gets the exact answer the protocol contract demands.',
    shownBy: [['test/e2e/wire-probe.test.ts', '']],
  },
  'wire.hostile': {
    says: 'Huge, deep, garbled and prototype-named input costs one error and bounded memory.',
    shownBy: [['test/e2e/wire-hostile.test.ts', '']],
  },
  'wire.fuzz': {
    says: 'No generated frame makes the server crash, hang, or answer with anything but JSON-RPC.',
    shownBy: [
      ['test/fuzz/frames.test.ts', ''],
      ['test/fuzz/frames.long.ts', ''],
    ],
  },
  'wire.two_paths': {
    says: 'The direct path and the SDK path give the same bytes in both eras and over both transports.',
    shownBy: [['test/contracts/two-paths.test.ts', 'same bytes']],
  },
  'wire.clients': {
    says: 'Independent clients of both eras connect, list, call, read and subscribe.',
    shownBy: [['test/e2e/clients.test.ts', '']],
  },
  'wire.conformance': {
    says: 'The official conformance suite passes in full on the fixtures, and on the product where it needs none.',
    shownBy: [['test/e2e/conformance.test.ts', '']],
  },
  'http.front': {
    says: 'Hosts, origins, tokens, sizes and times are judged exactly; healthy clients are unaffected.',
    shownBy: [
      ['test/e2e/http-front.test.ts', ''],
      ['src/surfaces/http/guards.test.ts', 'judges the host'],
    ],
  },
  'life.cycle': {
    says: 'End of input drains, signals end within a second, a broken pipe and a dead parent end it quietly.',
    shownBy: [['test/e2e/lifecycle.test.ts', '']],
  },
  'life.damage': {
    says: 'A server whose files are replaced under it answers and lives on.',
    shownBy: [['test/e2e/damage.test.ts', 'goes on serving']],
  },
  'start.light': {
    says: 'A start loads no SDK, schema library, parser or store.',
    shownBy: [['test/startup.test.ts', 'loads no schema library']],
  },
  'surface.pinned': {
    says: 'What models are shown changes on purpose only, and stays within its budget.',
    shownBy: [
      ['test/surface.test.ts', 'as it was agreed'],
      ['test/surface.test.ts', 'token budget'],
    ],
  },
  'config.strict': {
    says: 'Settings have one order of precedence; a typo is an error; secrets are never shown.',
    shownBy: [
      ['test/e2e/cli.test.ts', 'take the flag before the variable'],
      ['test/e2e/cli.test.ts', 'never show a secret'],
    ],
  },
  'cli.json': {
    says: 'Every command prints one JSON document when asked, also on failure, and exits by the fault table.',
    shownBy: [['test/e2e/cli.test.ts', 'one JSON document']],
  },
  'kernel.read_only': {
    says: 'Read-only is the last word.',
    shownBy: [
      ['src/kernel/catalog.test.ts', 'no writer when read-only, though it was named'],
      ['src/kernel/invoke.test.ts', 'lets guards refuse'],
    ],
  },
  'kernel.secrets': {
    says: 'The text of an exception never reaches a caller.',
    shownBy: [['src/kernel/invoke.test.ts', 'hides a bug']],
  },
  'lineage.tamper': {
    says: 'A log that was changed, cut off or reordered is found out, by code that shares nothing with the writer.',
    shownBy: [
      ['test/e2e/beliefs-damage.test.ts', 'is broken for whoever verifies it'],
      ['src/lineage/merkle.test.ts', 'do not hold when anything in them is changed'],
      ['test/e2e/lineage-cli.test.ts', 'the stand-alone verifier accepts'],
    ],
  },
  'lineage.crash': {
    says: 'No acknowledged write is lost to kill -9.',
    shownBy: [['test/e2e/beliefs-crash.test.ts', '']],
  },
  'lineage.shared': {
    says: 'Many processes on one log leave a history that some single order explains.',
    shownBy: [
      ['test/e2e/beliefs-history.test.ts', ''],
      ['test/history/checker.test.ts', ''],
    ],
  },
  'beliefs.energy': {
    says: 'Energy is conserved exactly, and a value changed behind our back is seen.',
    shownBy: [
      ['src/beliefs/graph.test.ts', ''],
      ['test/energy.long.ts', ''],
    ],
  },
  'beliefs.wire': {
    says: 'The belief server answers its first clients as they know it, bit for bit and in order.',
    shownBy: [
      ['test/e2e/scg-edges.test.ts', ''],
      ['test/e2e/scg-determinism.test.ts', ''],
    ],
  },
  'jail.inside': {
    says: 'No path, link, race or replaced root brings a byte or a name from outside of the project.',
    shownBy: [
      ['src/platform/jail.test.ts', 'gives no byte and no name from outside'],
      ['test/e2e/sentinel-jail.test.ts', 'gives not a byte from outside'],
      ['test/jail-race.test.ts', 'gives nothing from outside while files and folders are swapped'],
      ['test/jail-race.long.ts', ''],
    ],
  },
  'project.bounded': {
    says: 'Hung mounts, exploding patterns, endless folders and pipes cost a bounded time, and others are served.',
    shownBy: [
      ['test/e2e/sentinel-load.test.ts', ''],
      ['test/e2e/sentinel-jail.test.ts', 'while twenty pipes are asked for'],
    ],
  },
  'project.wire': {
    says: 'sentinel-mcp answers its first clients as they know it: codes, reasons, lifecycle and log.',
    shownBy: [
      ['test/e2e/sentinel-wire.test.ts', ''],
      ['test/e2e/sentinel-files.test.ts', ''],
    ],
  },
  'docs.fresh': {
    says: 'The reference pages are what the code says.',
    shownBy: [['test/docs.test.ts', 'is what the code says']],
  },
  'project.architecture': {
    says: 'Every box, arrow and record of an architecture has a file and a line that show it.',
    shownBy: [
      ['test/e2e/workflows.test.ts', 'gives every box and every arrow a source'],
      ['src/project/architecture.test.ts', 'draws who calls whom, and nothing else'],
    ],
  },
  'project.masked': {
    says: 'No answer and no report shows a password, a key or a token that was recognised in a file.',
    shownBy: [
      ['src/project/secrets.test.ts', 'masking'],
      ['src/project/architecture.test.ts', 'never shows a password'],
    ],
  },
}

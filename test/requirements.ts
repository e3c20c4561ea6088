/** What we promise, and the test that would catch us breaking it. A promise no test cites is not made. */
export interface Pledge {
  readonly says: string
  /** A test file, and a part of the full names (describe and test titles) of the tests that show the promise. */
  readonly shownBy: readonly [file: string, title: string][]
}

export const PROMISES: Readonly<Record<string, Pledge>> = {
  'wire.rows': {
    says: 'Every malformed or unusual line gets the exact answer the protocol contract demands.',
    shownBy: [
      ['test/e2e/wire-probe.test.ts', 'A line after initialize'],
      ['test/e2e/wire-probe.test.ts', 'A line of an older client'],
      ['test/e2e/wire-probe.test.ts', 'A line of revision 2026-07-28'],
    ],
  },
  'wire.hostile': {
    says: 'Huge, deep, garbled and prototype-named input costs one error and bounded memory.',
    shownBy: [
      ['test/e2e/wire-hostile.test.ts', 'costs one error and no more memory than the limit of a line'],
      ['test/e2e/wire-hostile.test.ts', 'is survived'],
      ['test/e2e/wire-hostile.test.ts', 'are answered with a parse error'],
      ['test/e2e/wire-hostile.test.ts', 'are unknown arguments like any other'],
    ],
  },
  'wire.fuzz': {
    says: 'No generated frame makes the server crash, hang, or answer with anything but JSON-RPC.',
    shownBy: [
      ['test/fuzz/frames.test.ts', 'thousands of them get what they are owed, and nothing else'],
      ['test/fuzz/frames.long.ts', '1,000,000 frames get what they are owed'],
    ],
  },
  'wire.two_paths': {
    says: 'The direct path and the SDK path give the same bytes in both eras and over both transports.',
    shownBy: [['test/contracts/two-paths.test.ts', 'same bytes']],
  },
  'wire.clients': {
    says: 'Independent clients of both eras connect, list, call, read and subscribe.',
    shownBy: [
      ['test/e2e/clients.test.ts', 'lists the tools'],
      ['test/e2e/clients.test.ts', 'calls a tool and gets the answer as data and as text'],
      ['test/e2e/clients.test.ts', 'lists the resources and reads one'],
      ['test/e2e/clients.test.ts', 'is granted the subscription it asks for'],
    ],
  },
  'wire.text': {
    says: 'Everything that an answer says reaches a model whose client hands over the structured answer alone.',
    shownBy: [
      ['test/e2e/tool-answers.test.ts', 'everything that an answer says reaches a model'],
      ['test/e2e/agents.long.ts', 'gives its model the answer of every tool'],
    ],
  },
  'wire.conformance': {
    says: 'The official conformance suite passes in full on the fixtures, and on the product where it needs none.',
    shownBy: [
      ['test/e2e/conformance.test.ts', 'passes the fixture server in all that revision'],
      ['test/e2e/conformance.test.ts', 'fails the product in revision'],
    ],
  },
  'http.front': {
    says: 'Hosts, origins, tokens, sizes and times are judged exactly; healthy clients are unaffected.',
    shownBy: [
      ['test/e2e/http-server.test.ts', 'refuses the host'],
      ['test/e2e/http-server.test.ts', 'refuses the origin'],
      ['test/e2e/http-server.test.ts', 'that are too long are a JSON-RPC error at /mcp'],
      ['test/e2e/http-server.test.ts', 'do not make a healthy one wait'],
      ['src/http/guards.test.ts', 'judges the host'],
    ],
  },
  'life.cycle': {
    says: 'End of input drains, signals end within a second, a broken pipe and a dead parent end it quietly.',
    shownBy: [
      ['test/e2e/lifecycle.test.ts', 'a slow call is still answered'],
      ['test/e2e/lifecycle.test.ts', 'ends an idle stdio server'],
      ['test/e2e/lifecycle.test.ts', 'the stdio server ends quietly at its next word'],
      ['test/e2e/lifecycle.test.ts', 'the server ends although stdin stays open'],
    ],
  },
  'life.damage': {
    says: 'A server whose files are replaced under it answers and lives on.',
    shownBy: [
      ['test/e2e/damage.test.ts', 'goes on serving'],
      ['test/e2e/damage.test.ts', 'when its file is back after a failed load'],
    ],
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
      ['src/app/config/load-config.test.ts', 'is taken from a'],
      ['src/app/config/load-config.test.ts', 'flag, variable and named file may'],
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
      ['test/e2e/beliefs-damage.test.ts', 'is reported as broken by the verifier'],
      ['src/lineage/merkle.test.ts', 'do not hold when anything in them is changed'],
      ['test/e2e/lineage-cli.test.ts', 'the stand-alone verifier accepts'],
    ],
  },
  'lineage.crash': {
    says: 'No acknowledged write is lost to kill -9.',
    shownBy: [['test/e2e/beliefs-crash.test.ts', 'loses nothing that was acknowledged in']],
  },
  'lineage.shared': {
    says: 'Many processes on one log leave a history that some single order explains.',
    shownBy: [
      ['test/e2e/beliefs-history.test.ts', 'is one copy to all of them, in a file'],
      ['test/history/checker.test.ts', 'agrees with trying every order'],
    ],
  },
  'lineage.effects': {
    says: 'Every decision and every write, on every surface, is one entry of the log; arguments are never in it.',
    shownBy: [
      ['test/e2e/lineage-effects.test.ts', 'are one entry each over stdio'],
      ['test/e2e/lineage-effects.test.ts', 'are one entry each over MCP and plain HTTP'],
      ['test/e2e/lineage-effects.test.ts', 'are one entry each from the command line'],
      ['test/e2e/lineage-effects.test.ts', 'hold digests of the arguments'],
      ['test/e2e/lineage-load.test.ts', 'has one entry for each acknowledged call'],
    ],
  },
  'beliefs.energy': {
    says: 'Energy is conserved exactly, and a value changed behind our back is seen.',
    shownBy: [
      ['src/beliefs/graph/graph.test.ts', 'agrees with the oracle to the last quantum and bit'],
      ['src/beliefs/graph/graph.test.ts', 'a change past the commit path'],
      ['test/energy.long.ts', 'is conserved exactly in a graph of 100 000 nodes'],
    ],
  },
  'beliefs.wire': {
    says: 'The belief server answers its first clients as they know it, bit for bit and in order.',
    shownBy: [
      ['test/e2e/scg-edges.test.ts', 'follow the published trajectory to the bit'],
      ['test/e2e/scg-determinism.test.ts', 'run twice gives the same bytes on stdout and in the export'],
    ],
  },
  'evidence.http': {
    says: 'The evidence server answers its clients as they know it; what it cannot understand it refuses by name.',
    shownBy: [
      ['test/e2e/evidence-http.test.ts', 'of one finding, in the order clients know'],
      ['test/e2e/evidence-http.test.ts', 'are refused, naming the parameter'],
      ['test/e2e/evidence-program.test.ts', 'a busy port is one clear message'],
    ],
  },
  'evidence.whole': {
    says: 'Evidence is never torn or lost, whoever writes at the same time and whenever a writer dies.',
    shownBy: [
      ['test/contracts/evidence-file.test.ts', 'loses nothing when ten processes do it at once'],
      ['test/contracts/evidence-file.test.ts', 'leaves a whole file whenever it is killed'],
    ],
  },
  'evidence.same': {
    says: 'The same judgement gives the same bytes, in any order of findings, on any machine.',
    shownBy: [
      ['src/evidence/build.test.ts', 'whatever order the findings come in'],
      ['test/contracts/evidence-file.test.ts', 'whatever the time zone, the locale and the umask'],
    ],
  },
  'evidence.preflight': {
    says: 'An agent whose preflight fails on any check is told to diagnose and change nothing.',
    shownBy: [['test/e2e/agent-preflight.test.ts', 'downgrades']],
  },
  'jail.inside': {
    says: 'No path, link, race or replaced root brings a byte or a name from outside of the project.',
    shownBy: [
      ['src/platform/jail/jail.test.ts', 'gives no byte and no name from outside'],
      ['test/e2e/sentinel-jail.test.ts', 'gives not a byte from outside'],
      ['test/jail-race.test.ts', 'gives nothing from outside while files and folders are swapped'],
      ['test/jail-race.long.ts', 'holds for a minute of swapping'],
    ],
  },
  'project.bounded': {
    says: 'Hung mounts, exploding patterns, endless folders and pipes cost a bounded time, and others are served.',
    shownBy: [
      ['test/e2e/sentinel-load.test.ts', 'stops a search whose pattern explodes'],
      ['test/e2e/sentinel-jail.test.ts', 'while twenty pipes are asked for'],
    ],
  },
  'project.wire': {
    says: 'sentinel-mcp answers its first clients as they know it: codes, reasons, lifecycle and log.',
    shownBy: [
      ['test/e2e/sentinel-wire.test.ts', 'sentinel-mcp on the wire'],
      ['test/e2e/sentinel-wire.test.ts', 'the life of sentinel-mcp'],
      ['test/e2e/sentinel-wire.test.ts', 'the log of sentinel-mcp'],
      ['test/e2e/sentinel-files.test.ts', 'lists names a line, sorted'],
    ],
  },
  'packets.registry': {
    says: 'A registry that misbehaves gets a typed fault, nothing enters the store, and no password leaves its host.',
    shownBy: [
      [
        'test/contracts/packet-faults.test.ts',
        'we say what is wrong, keep nothing, and ask nobody it leads us to',
      ],
      ['test/contracts/packet-faults.test.ts', 'never to a redirect target'],
    ],
  },
  'packets.store': {
    says: 'No part of a packet is ever visible, whatever is killed and whenever the disk is full.',
    shownBy: [
      ['test/contracts/packet-store.test.ts', 'never shows a part of a packet'],
      ['test/e2e/packet-make.test.ts', 'the old one or the new one'],
    ],
  },
  'packets.locks': {
    says: 'A lock of the dead is taken over within five seconds, also after a restart; of many one makes the index.',
    shownBy: [
      ['test/e2e/packet-kills.test.ts', 'taken over when it is dead'],
      ['test/e2e/packet-kills.test.ts', 'what a restart of the machine leaves blocks no call'],
      ['test/e2e/packet-kills.test.ts', 'one of eight processes that ask at once makes the table'],
    ],
  },
  'packets.trust': {
    says: 'A signature counts when somebody the policy names made it for this digest, and at no other time.',
    shownBy: [
      ['test/contracts/packet-trust.test.ts', 'counts when the holder of its certificate does'],
      ['test/contracts/packet-policy.test.ts', 'takes a packet its key has signed'],
    ],
  },
  'packets.waiting': {
    says: 'Whatever a packet takes to come and to open, a client gets its answer in time and nobody else waits.',
    shownBy: [
      ['test/e2e/packet-program.test.ts', 'answers in time while a packet takes longer'],
      ['test/e2e/packet-program.test.ts', 'tells a client that asks how far the fetching is'],
      ['src/packets/format/files.test.ts', 'is read in turns with everybody else'],
    ],
  },
  'packets.documents': {
    says: 'What an answer cites can be read by digest, path and line, without a network and within the policy.',
    shownBy: [['test/e2e/packet-program.test.ts', 'gives a document by the path it cites']],
  },
  'packets.requests': {
    says: 'A cold lookup costs three requests, and a pinned packet that is known none.',
    shownBy: [
      ['test/e2e/packet-commands.test.ts', 'cost three requests to be looked up'],
      ['test/e2e/packet-trust.test.ts', 'cost three requests to be looked up where the policy'],
    ],
  },
  'packets.models': {
    says: 'Vectors of two models are never compared, and what is wrong with an embedder has a word and a fix.',
    shownBy: [
      ['test/e2e/packet-embedder.test.ts', 'configured gives a word about it'],
      ['test/e2e/packet-embedder.test.ts', 'vectors of another length is not asked with them'],
    ],
  },
  'packets.exact': {
    says: 'A search by vectors finds exactly what a loop over all floats finds.',
    shownBy: [
      ['src/packets/search/exact-search.test.ts', 'finds what a plain loop finds'],
      [
        'src/platform/packets/vectors/vector-file.test.ts',
        'a FAISS file with an HNSW graph gives the same answers',
      ],
    ],
  },
  'packets.offline': {
    says: 'A packet that was fetched is asked without a network.',
    shownBy: [['test/e2e/packet-cli.test.ts', 'the server cites it offline']],
  },
  'docs.fresh': {
    says: 'The reference pages are what the code says.',
    shownBy: [['test/docs.test.ts', 'is what the code says']],
  },
  'enterprise.http': {
    says: 'The enterprise server answers every request as its clients know it, changes nothing, and lives on.',
    shownBy: [
      ['test/e2e/enterprise.test.ts', 'answers that it lives'],
      ['test/e2e/enterprise.test.ts', 'writes nothing into the repository'],
      ['test/e2e/enterprise-mcp.test.ts', 'that is no error'],
    ],
  },
  'enterprise.light': {
    says: 'A status starts at most four programs, and none of them holds up another request.',
    shownBy: [
      ['test/e2e/enterprise.test.ts', 'at most four programs'],
      ['test/e2e/enterprise.test.ts', 'answers others while'],
    ],
  },
  'sdd.closed': {
    says: 'The specification guard names the first obstacle and fails closed on whatever it cannot read.',
    shownBy: [
      ['src/gate/sdd/decision.test.ts', 'names the first of several'],
      ['test/e2e/sdd.test.ts', 'fails closed when the validator'],
      ['test/e2e/sdd.test.ts', 'with the real OpenSpec'],
    ],
  },
  'hooks.tidy': {
    says: 'Hooks come and go without a trace, and a refusal of the gate stops the commit.',
    shownBy: [
      ['test/e2e/hooks.test.ts', 'come and go without a trace'],
      ['test/e2e/hooks.test.ts', 'a refusal stops the commit'],
    ],
  },
  'gate.repositories': {
    says: 'The gate judges the right bytes of the right files in every kind of repository git makes.',
    shownBy: [
      ['test/e2e/gate-repositories.test.ts', 'judges files whatever they are called'],
      ['src/platform/git/reader.test.ts', 'passes over links, submodules, pipes'],
    ],
  },
  'gate.complete': {
    says: 'Every place is reported at once, code only, and what could not be judged does not pass as clean.',
    shownBy: [['test/e2e/gate-defects.test.ts', 'reports every file and every place at once']],
  },
  'gate.same_bytes': {
    says: 'The evidence is the same bytes on every machine, and whole under many gates at once.',
    shownBy: [
      ['test/e2e/gate-determinism.test.ts', 'is the same bytes in any time zone'],
      ['test/e2e/gate-determinism.test.ts', 'stays one valid file under ten gates'],
    ],
  },
  'gate.decisions': {
    says: 'What the gate decided can be verified afterwards.',
    shownBy: [['test/e2e/gate-cli.test.ts', 'are entries of a lineage that can be verified']],
  },
  'project.architecture': {
    says: 'Every box, arrow and record of an architecture has a file and a line that show it.',
    shownBy: [
      ['test/e2e/workflows.test.ts', 'gives every box and every arrow a source'],
      ['src/architecture/architecture.test.ts', 'draws who calls whom, and nothing else'],
    ],
  },
  'project.masked': {
    says: 'No answer and no report shows a password, a key or a token that was recognised in a file.',
    shownBy: [
      ['src/kernel/text/secrets.test.ts', 'masking'],
      ['src/architecture/architecture.test.ts', 'never shows a password'],
    ],
  },
}

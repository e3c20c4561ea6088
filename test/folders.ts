/** One row for every folder of `src/`: what it holds, and what its files may import. */
export interface FolderRow {
  readonly purpose: string
  /**
   * Folders outside of its own room, or siblings inside it. A room stands for all of its folders. Files may always
   * import their own folder, the folders above it up to the room, and the folders below it.
   */
  readonly imports: readonly string[]
}

/** The rooms that decide something and touch neither the wire nor the outside world. */
export const DOMAINS = [
  'gate',
  'hooks',
  'setup',
  'evidence',
  'receipts',
  'project',
  'architecture',
  'beliefs',
  'packets',
  'lineage',
]
/** All rooms below `app`. */
export const EVERYTHING = ['cli/command', 'mcp', 'http', ...DOMAINS, 'platform', 'kernel']

export const FOLDERS: Readonly<Record<string, FolderRow>> = {
  bin: {
    purpose:
      'One file for each binary: arguments in, exit code out. `lineage-verify` is bundled without the rest.',
    imports: ['app', 'cli', 'lineage'],
  },
  app: {
    purpose: 'Composition of a server, terminal, shutdown and exit codes. Only `app` reads the environment.',
    imports: EVERYTHING,
  },
  'app/config': {
    purpose: 'Settings: the table, the loader, what an untrusted file may set.',
    imports: EVERYTHING,
  },
  'app/open': {
    purpose: 'Opens each domain: builds platform objects and passes them as ports. Loaded on first use.',
    imports: ['app/config', ...EVERYTHING],
  },
  'app/open/checks': {
    purpose: 'Opens the checks of a repository: what a person allowed, environment, cache.',
    imports: ['app/config', ...EVERYTHING],
  },
  'app/open/receipts': {
    purpose: 'Opens receipts: keys, signing, lookup by tree, notes, witnesses.',
    imports: ['app/config', ...EVERYTHING],
  },
  'app/open/hooks': {
    purpose:
      'Opens a repository for an event of an agent: files in memory, our own paths, state, record, effects.',
    imports: ['app/config', 'app/open/receipts', ...EVERYTHING],
  },
  'app/open/lineage': {
    purpose: 'Opens a log to be published, with its key.',
    imports: ['app/config', 'app/open/receipts', ...EVERYTHING],
  },
  'app/open/packets': {
    purpose: 'The lock of packets, revocations and pinned models of a project, opened for callers.',
    imports: ['app/config', ...EVERYTHING],
  },
  'app/open/why': {
    purpose: 'Opens the explanation of a verdict: evidence, policy files of working tree and base.',
    imports: ['app/config', ...EVERYTHING],
  },
  'app/unified': {
    purpose: 'What the unified server adds to the toolsets: names, state of the gate, freshness.',
    imports: ['app/config', 'app/open', ...EVERYTHING],
  },
  'app/servers': {
    purpose: 'Runs servers over stdio and HTTP, and the binaries that keep older interfaces.',
    imports: ['app/config', 'app/open', ...EVERYTHING],
  },
  'app/threads': {
    purpose: 'Entry points of worker threads and of the scan process.',
    imports: ['app/config', 'app/open', ...EVERYTHING],
  },
  cli: {
    purpose: 'The `warrant` program: its command table and what commands share.',
    imports: ['app', ...EVERYTHING],
  },
  'cli/gate': {
    purpose: 'Gate commands: gate, why, checks, status, sdd, install, hooks.',
    imports: ['app', ...EVERYTHING],
  },
  'cli/setup': {
    purpose: 'Commands init and uninstall: agents, git hooks, CI, keys.',
    imports: ['app', 'cli/gate', ...EVERYTHING],
  },
  'cli/hooks': {
    purpose: 'The command that answers events of coding agents.',
    imports: ['app', ...EVERYTHING],
  },
  'cli/canaries': {
    purpose: '`doctor --fire`: canaries in a copy of the repository, and answers as each client reads them.',
    imports: ['app', ...EVERYTHING],
  },
  'cli/lineage': { purpose: 'Commands lineage and graph.', imports: ['app', ...EVERYTHING] },
  'cli/receipts': {
    purpose: 'Commands receipts and keys.',
    imports: ['app', 'cli/gate', ...EVERYTHING],
  },
  'cli/packet': {
    purpose: 'Packet commands: build, publish, pull, query and the local store.',
    imports: ['app', ...EVERYTHING],
  },
  'cli/project': {
    purpose: 'Commands that read the repository, and its architecture report.',
    imports: ['app', ...EVERYTHING],
  },
  'cli/server': {
    purpose: 'Commands that start, check and describe the server.',
    imports: ['app', ...EVERYTHING],
  },
  'cli/command': { purpose: 'Commands as data: parsing, help, completion, tables.', imports: ['kernel'] },
  http: {
    purpose: 'The HTTP server: guards, limits, routes, metrics.',
    imports: ['gate', 'evidence', 'kernel'],
  },
  mcp: {
    purpose: 'MCP frames, sessions and dialects over stdio and HTTP; the adapter of the SDK.',
    imports: ['http', 'kernel'],
  },
  evidence: {
    purpose: 'The evidence file: schema, reader, builder, hash chain, views and tools.',
    imports: ['kernel'],
  },
  gate: {
    purpose: 'Whether a change may pass: tools, run, verdict, policy, stages.',
    imports: ['receipts', 'evidence', 'kernel'],
  },
  'gate/facts': {
    purpose: 'What changed: scope, files, platforms, state of the repository.',
    imports: ['gate/rules', 'evidence', 'kernel'],
  },
  'gate/rules': {
    purpose: 'Rules: format, packs, selection, severity overrides, explanations.',
    imports: ['evidence', 'kernel'],
  },
  'gate/findings': {
    purpose: 'Scan results as findings: what the base has, suppression, excerpts.',
    imports: ['receipts', 'gate/facts', 'gate/rules', 'gate/reports', 'evidence', 'kernel'],
  },
  'gate/secrets': { purpose: 'Texts that look like secrets but are not.', imports: ['kernel'] },
  'gate/reports': {
    purpose: 'Run reports as text, JUnit and SARIF.',
    imports: ['gate/rules', 'evidence', 'kernel'],
  },
  'gate/checks': {
    purpose: 'Checks: the commands that a repository declares, their results as findings.',
    imports: ['gate/rules', 'gate/facts', 'gate/findings', 'gate/reports', 'evidence', 'kernel'],
  },
  'gate/checks/readers': {
    purpose: 'Output of the tools that a repository runs, read into results.',
    imports: ['gate/reports', 'evidence', 'kernel'],
  },
  'gate/checks/suggest': {
    purpose: 'Checks that a repository could declare, by the tools it uses.',
    imports: ['gate/checks/readers', 'evidence', 'kernel'],
  },
  'gate/sdd': {
    purpose: 'Specification-driven development: OpenSpec sessions and decisions.',
    imports: ['evidence', 'kernel'],
  },
  'setup/git-hooks': {
    purpose: 'Git hooks, and installing and uninstalling the gate.',
    imports: ['evidence', 'kernel'],
  },
  setup: {
    purpose: 'Sets up a repository: clients and their entries, hook managers, the plan and its undo.',
    imports: ['setup/git-hooks', 'kernel'],
  },
  'setup/editors': {
    purpose:
      'Entries in JSON, TOML, YAML and scripts: added and removed by position, the rest kept to the byte.',
    imports: ['setup/git-hooks', 'kernel'],
  },
  'gate/replay': {
    purpose: 'Past commits, judged by the rules: what they would have stopped, and what was fixed later.',
    imports: ['gate/rules', 'gate/reports', 'receipts', 'evidence', 'kernel'],
  },
  'gate/why': {
    purpose: 'Why a verdict is as it is: reasons, repairs, policy lines, what it rests on.',
    imports: ['gate/rules', 'gate/findings', 'gate/reports', 'gate/checks', 'receipts', 'evidence', 'kernel'],
  },
  hooks: {
    purpose:
      "Events of coding agents: what a tool would write, what is refused, the answer in each client's format.",
    imports: ['gate', 'evidence', 'kernel'],
  },
  'hooks/shell': {
    purpose: 'Reads shell commands, and finds those that go past the gate.',
    imports: ['kernel'],
  },
  'gate/enterprise': {
    purpose: 'The enterprise server: its catalog, tools and status.',
    imports: ['gate/sdd', 'setup', 'evidence', 'kernel'],
  },
  project: {
    purpose: 'What is in the repository, read-only: tools, jobs, access rules.',
    imports: ['architecture', 'kernel'],
  },
  'project/files': { purpose: 'List, read, search and walk files.', imports: ['architecture', 'kernel'] },
  'project/symbols': {
    purpose: 'Declarations and references.',
    imports: ['project/files', 'kernel'],
  },
  'architecture/source': {
    purpose: 'Source and configuration files read into one model for all languages.',
    imports: ['kernel'],
  },
  'architecture/readers': {
    purpose: 'Syntax trees of each language read into the model.',
    imports: ['architecture/source', 'kernel'],
  },
  'architecture/build': {
    purpose: 'Modules and dependencies of Maven, Gradle and workspaces.',
    imports: ['architecture/source', 'kernel'],
  },
  'architecture/connections': {
    purpose: 'Detectors: endpoints, clients, events, databases.',
    imports: ['architecture/source', 'kernel'],
  },
  'architecture/frameworks': {
    purpose: 'The frameworks and client libraries that the detectors know.',
    imports: [
      'architecture/frameworks/go',
      'architecture/frameworks/jvm',
      'architecture/frameworks/python',
      'architecture/frameworks/script',
      'architecture/connections',
      'architecture/source',
      'kernel',
    ],
  },
  'architecture/frameworks/go': {
    purpose: 'Go frameworks.',
    imports: ['architecture/connections', 'architecture/source', 'kernel'],
  },
  'architecture/frameworks/jvm': {
    purpose: 'Java and Kotlin frameworks.',
    imports: ['architecture/connections', 'architecture/source', 'kernel'],
  },
  'architecture/frameworks/python': {
    purpose: 'Python frameworks.',
    imports: ['architecture/connections', 'architecture/source', 'kernel'],
  },
  'architecture/frameworks/script': {
    purpose: 'JavaScript and TypeScript frameworks.',
    imports: ['architecture/connections', 'architecture/source', 'kernel'],
  },
  'architecture/interfaces': {
    purpose: 'What API files, schemas and proxy configuration declare.',
    imports: ['architecture/connections', 'architecture/source', 'kernel'],
  },
  'architecture/deployment': {
    purpose: 'Compose files, Kubernetes manifests, Helm charts, Dockerfiles, and what images run.',
    imports: ['architecture/source', 'kernel'],
  },
  'architecture/services': {
    purpose: 'The deployables of a project and the containers that run them.',
    imports: [
      'architecture/deployment',
      'architecture/source',
      'architecture/build',
      'architecture/connections',
      'kernel',
    ],
  },
  'architecture/services/relations': {
    purpose: 'How services, stores, brokers and outside systems are related.',
    imports: ['architecture/deployment', 'architecture/source', 'architecture/connections', 'kernel'],
  },
  architecture: {
    purpose: 'Types, their relations, metrics and diagrams.',
    imports: [
      'architecture/deployment',
      'architecture/interfaces',
      'architecture/services',
      'architecture/services/relations',
      'architecture/source',
      'architecture/readers',
      'architecture/build',
      'architecture/connections',
      'architecture/frameworks',
      'kernel',
    ],
  },
  'architecture/report': {
    purpose: 'The architecture report as Markdown and HTML.',
    imports: [
      'architecture',
      'architecture/connections',
      'architecture/frameworks',
      'architecture/services',
      'architecture/source',
      'kernel',
    ],
  },
  beliefs: { purpose: 'The belief graph: tools, configuration, faults.', imports: ['lineage', 'kernel'] },
  'beliefs/graph': {
    purpose: 'Nodes, edges, exact energy, propagation, audits and snapshots; in memory.',
    imports: ['lineage', 'kernel'],
  },
  'beliefs/log': {
    purpose: 'The graph over a log: replica, recovery, replay.',
    imports: ['beliefs/graph', 'lineage', 'kernel'],
  },
  'beliefs/input': { purpose: 'Input parsing and the sanitizer of names.', imports: ['kernel'] },
  packets: { purpose: 'Knowledge packets: tools and the ports of store and registry.', imports: ['kernel'] },
  'packets/format': {
    purpose: 'Files of a packet: manifest, metadata, vectors, references.',
    imports: ['kernel'],
  },
  'packets/search': { purpose: 'Search by words and by vectors.', imports: ['packets/format', 'kernel'] },
  'packets/search/wasm': { purpose: 'The vector scan as WebAssembly.', imports: [] },
  'packets/minilm': {
    purpose: 'The built-in sentence embedder: tokenizer, windows of a passage, model.',
    imports: ['packets/format', 'packets/build', 'kernel'],
  },
  'packets/minilm/wasm': { purpose: 'Kernels of the model as WebAssembly.', imports: [] },
  'packets/ask': {
    purpose: 'The questions: lookup, plan, query, evidence, document.',
    imports: [
      'packets/format',
      'packets/search',
      'packets/transfer',
      'packets/trust',
      'packets/lock',
      'kernel',
    ],
  },
  'packets/lock': {
    purpose: 'The packets that a project relies on, by digest and signer, and revoked packets.',
    imports: ['packets/format', 'packets/transfer', 'packets/trust', 'kernel'],
  },
  'packets/transfer': {
    purpose: 'Publish and pull packets and models.',
    imports: ['packets/format', 'packets/minilm', 'packets/trust', 'packets/build', 'kernel'],
  },
  'packets/build': {
    purpose: 'Build a packet from sources, compare and check it.',
    imports: ['packets/format', 'packets/search', 'kernel'],
  },
  'packets/trust': {
    purpose: 'Policies, signatures and attestations.',
    imports: ['packets/format', 'kernel'],
  },
  receipts: {
    purpose: 'Receipts of verdicts: statement, envelope, keys, and which receipt is trusted.',
    imports: ['lineage', 'kernel'],
  },
  lineage: {
    purpose:
      'Entries, hash chain, Merkle tree, proofs, checkpoints. `verify.ts` shares no code with the rest.',
    imports: ['kernel'],
  },
  'lineage/tlog': {
    purpose: 'Formats of transparency logs: notes, cosignatures, proofs, requests to witnesses.',
    imports: ['kernel'],
  },
  'platform/system': {
    purpose: 'Clock, ids, log, worker threads, the ssh-agent.',
    imports: ['receipts', 'kernel'],
  },
  'platform/jail': {
    purpose: 'Reads below a root and nowhere else, whatever links say.',
    imports: ['kernel'],
  },
  'platform/files': {
    purpose: 'Files of our own: atomic replacement, locks, keys, the evidence file, the state folder.',
    imports: ['platform/jail', 'evidence', 'setup', 'gate', 'kernel'],
  },
  'platform/programs': {
    purpose: 'Starts other programs with limits.',
    imports: ['platform/jail', 'gate', 'kernel'],
  },
  'platform/git': {
    purpose: 'Git, without what a repository would have it run.',
    imports: ['receipts', 'platform/programs', 'platform/files', 'platform/jail', 'setup', 'gate', 'kernel'],
  },
  'platform/git/trees': {
    purpose: 'Ids of trees that are not committed yet, and the commits of a range.',
    imports: ['receipts', 'gate', 'kernel'],
  },
  'platform/git/notes': {
    purpose: 'Git notes by object: read, append, merge, push and fetch.',
    imports: ['receipts', 'platform/git/trees', 'platform/programs', 'platform/system', 'gate', 'kernel'],
  },
  'platform/syntax': {
    purpose: 'Syntax trees by ast-grep, and what readers found in them before.',
    imports: ['platform/files', 'platform/jail', 'architecture', 'kernel'],
  },
  'platform/scanner': {
    purpose: 'Matches rules against files, in this process or in child processes.',
    imports: ['platform/syntax', 'platform/files', 'platform/jail', 'platform/system', 'gate', 'kernel'],
  },
  'platform/log-stores': {
    purpose: 'Log stores: what all check, and the one in memory.',
    imports: ['lineage', 'kernel'],
  },
  'platform/log-stores/sqlite': {
    purpose: 'The log store in SQLite.',
    imports: ['platform/files', 'platform/system', 'lineage', 'kernel'],
  },
  'platform/log-stores/postgres': {
    purpose: 'The log store in PostgreSQL.',
    imports: ['platform/system', 'lineage', 'kernel'],
  },
  'platform/registry': {
    purpose: 'Client of OCI registries: addresses, credentials, transport, upload.',
    imports: ['platform/system', 'platform/programs', 'packets', 'kernel'],
  },
  'platform/packets': {
    purpose: 'Packets on disk: store, drafts, vector files, caches; embedding servers; sigstore.',
    imports: ['platform/jail', 'platform/files', 'platform/syntax', 'platform/system', 'packets', 'kernel'],
  },
  'platform/packets/vectors': {
    purpose: 'Vectors of packets: files, rebuilt ones, search in a thread.',
    imports: ['platform/jail', 'platform/files', 'platform/syntax', 'platform/system', 'packets', 'kernel'],
  },
  kernel: {
    purpose: 'Tool, call, fault, limits, ports, and `invoke`, which runs every call. No I/O.',
    imports: [],
  },
  'kernel/async': {
    purpose: 'Open once, cache for a time, deadlines, bounded concurrency, cooperative scheduling.',
    imports: [],
  },
  'kernel/encoding': { purpose: 'Canonical JSON, digests, hashes.', imports: [] },
  'kernel/text': {
    purpose: 'Globs, gitignore, languages, decoding, escaping, path containment, XML, YAML within limits.',
    imports: [],
  },
}

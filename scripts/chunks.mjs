// Which source files the build puts into which file of dist/. Every path named here must exist: test/startup.test.ts.

/** Binaries bundled into one file each, with nothing beside it, so that they can be copied elsewhere and read. */
export const STANDALONE = ['src/bin/lineage-verify.ts']

/** Binaries that Warrant starts itself: modules that only they need stay out of the `start` chunk. */
export const INTERNAL = ['src/bin/scan-child.ts']

/** Entry files of worker threads. */
export const THREADS = ['project', 'workflow', 'vector', 'sentence'].map(
  (name) => `src/app/threads/${name}.ts`,
)

/**
 * The entry modules of each task that users wait for. Modules loaded by the same set of tasks share one chunk: each
 * further file costs time at the start, and so does each module that is not needed.
 */
export const TASKS = {
  handshake: ['src/cli/server/mcp.ts'],
  tools: ['src/app/compose.ts'],
  evidence: ['src/app/servers/evidence-http.ts'],
  enterprise: ['src/app/servers/enterprise-http.ts'],
  project: ['src/app/threads/project.ts'],
  gate: [
    'src/cli/gate/gate.ts',
    'src/app/open/decisions.ts',
    'src/gate/reports/text.ts',
    'src/platform/scanner/scanner.ts',
    'src/platform/log-stores/sqlite/log.ts',
    'src/evidence/read-trusted.ts',
    'src/evidence/document.ts',
  ],
  // Agents wait for it before every tool call.
  hook: [
    'src/cli/hooks/hook.ts',
    'src/app/open/hooks/open.ts',
    'src/app/open/hooks/evaluate-proposed-files.ts',
    'src/hooks/judge-event.ts',
  ],
  // Several scan processes start at the same time: each loads the scanner and nothing else of the gate.
  scan: ['src/app/threads/scan-child.ts'],
  pull: ['src/cli/packet/index.ts', 'src/cli/packet/pull.ts'],
  ask: ['src/cli/packet/ask.ts'],
  // The worker threads of packets.
  thread: ['src/app/threads/sentence.ts', 'src/app/threads/vector.ts'],
}

/** Small modules with many importers: in the `start` chunk they cost less than a file of their own. */
export const ALWAYS_LOADED = [
  'src/kernel/async/once.ts',
  'src/kernel/multimap.ts',
  'src/kernel/call-faults.ts',
  'src/kernel/record-call.ts',
  'src/kernel/text/escape-regexp.ts',
  'src/kernel/text/decode.ts',
  'src/kernel/encoding/canonical.ts',
  'src/kernel/encoding/crypto.ts',
  'src/kernel/encoding/hash.ts',
  'src/cli/command/subcommand.ts',
  'src/app/shutdown.ts',
  'src/app/open/lazy-enterprise.ts',
]

/** Chunks merged into another although not every task that loads one needs the other: a further file costs more. */
export const MERGED = new Map([
  ['tools-gate', 'tools-evidence-gate-hook'],
  ['tools-gate-hook', 'tools-evidence-gate-hook'],
  ['tools-evidence-gate', 'tools-evidence-gate-hook'],
  ['tools-enterprise-gate', 'tools-evidence-gate-hook'],
  ['tools-evidence-enterprise-gate-hook-pull', 'tools-evidence-gate-hook'],
  ['tools-evidence-gate-hook-pull', 'tools-evidence-gate-hook'],
  ['project-gate-hook-scan', 'gate-hook-scan'],
  ['project-gate-hook', 'gate-hook-scan'],
  ['gate-pull', 'evidence-gate-hook'],
  ['gate-hook-pull', 'evidence-gate-hook'],
  ['evidence-gate', 'evidence-gate-hook'],
  ['evidence-gate-pull', 'evidence-gate-hook'],
  ['evidence-gate-hook-pull', 'evidence-gate-hook'],
  ['gate-ask', 'evidence-gate-hook'],
  ['gate-hook-ask', 'evidence-gate-hook'],
  ['gate-pull-ask', 'evidence-gate-hook'],
  ['gate-hook-pull-ask', 'evidence-gate-hook'],
  ['evidence-gate-hook-pull-ask', 'evidence-gate-hook'],
  ['evidence-gate-ask-thread', 'evidence-gate-hook'],
  ['evidence-gate-hook-pull-ask-thread', 'evidence-gate-hook'],
  ['tools-evidence-gate-ask', 'tools-evidence-gate-hook'],
  ['tools-evidence-enterprise-gate-hook-pull-ask', 'tools-evidence-gate-hook'],
  ['tools-project-ask', 'tools-project'],
  ['project-gate-hook-thread', 'gate-hook-scan'],
  ['project-thread', 'project'],
  ['pull-ask', 'pull'],
])

/** Chunks whose V8 bytecode is shipped: those of the gate, of the hook of agents, of a packet download
 * and of a question to a packet. */
export const WITH_BYTECODE = [
  'start',
  'gate',
  'hook',
  'gate-hook',
  'gate-hook-scan',
  'evidence-gate-hook',
  'tools-evidence-gate-hook',
  'pull',
  'ask',
  'ask-thread',
  'pull-ask-thread',
  'zod',
]

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
    'src/app/open/hooks/record.ts',
    'src/app/open/receipts/make-receipt.ts',
    'src/platform/git/clone-program.ts',
  ],
  // Agents wait for it before every tool call.
  hook: [
    'src/cli/hooks/hook.ts',
    'src/app/open/hooks/open.ts',
    'src/app/open/hooks/compare-guard.ts',
    'src/app/open/hooks/record.ts',
    'src/hooks/judge-event.ts',
  ],
  // What it judges a file with, which most of their commands do not need.
  edit: ['src/app/open/hooks/evaluate-proposed-files.ts'],
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
  ['handshake', 'handshake-tools'],
  ...[
    'tools-gate',
    'tools-gate-edit',
    'tools-gate-hook-edit',
    'tools-evidence-gate',
    'tools-evidence-gate-ask',
    'tools-evidence-gate-edit',
    'tools-evidence-enterprise-gate-edit-pull-ask',
    'tools-enterprise',
    'tools-enterprise-gate',
    'tools-enterprise-pull-ask',
    'evidence-gate',
    'evidence-enterprise-gate-hook',
    'evidence-enterprise-gate-hook-edit',
    'evidence-enterprise-gate-hook-edit-ask',
    'evidence-enterprise-gate-hook-edit-pull-ask',
    'evidence-enterprise-gate-hook-pull-ask',
    'tools-evidence-enterprise-gate-hook-ask',
    'tools-evidence-enterprise-gate-hook',
    'evidence-gate-ask-thread',
    'evidence-gate-hook-edit-pull-ask',
    'evidence-gate-hook-edit-pull-ask-thread',
    'gate-ask',
    'gate-hook-pull-ask',
    'gate-pull-ask',
  ].map((chunk) => /** @type {const} */ ([chunk, 'tools-evidence-gate-hook'])),
  ['tools-evidence', 'tools-evidence-enterprise'],
  ['tools-pull-ask', 'tools-pull-ask-thread'],
  ['pull-ask-thread', 'tools-pull-ask-thread'],
  ['tools-project-ask', 'tools-project'],
  ['gate-hook-edit', 'gate-hook'],
  ['gate-hook-edit-ask', 'gate-hook'],
  ['edit', 'gate-edit'],
  ['project-gate-edit', 'gate-edit-scan'],
  ['project-gate-edit-scan', 'gate-edit-scan'],
  ['project-gate-edit-thread', 'gate-edit-scan'],
  ['project-thread', 'project'],
  ['pull-ask', 'pull'],
])

/** Chunks whose V8 bytecode is shipped: those of the gate, of the hook of agents, of the MCP server, of a packet
 * download and of a question to a packet. */
export const WITH_BYTECODE = [
  'start',
  'handshake-tools',
  'tools',
  'tools-evidence-enterprise',
  'tools-evidence-gate-hook',
  'tools-project',
  'tools-pull-ask-thread',
  'gate',
  'hook',
  'gate-hook',
  'gate-edit',
  'gate-edit-scan',
  'pull',
  'ask',
  'ask-thread',
  'zod',
]

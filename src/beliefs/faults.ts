import { defineFaults } from '../kernel/fault.ts'

export const beliefFaults = defineFaults('belief', {
  node_unknown: { kind: 'missing', fix: 'Use an id that node.create returned.' },
  edge_unknown: { kind: 'missing', fix: 'Use an id that edge.bind returned.' },
  out_of_range: { kind: 'invalid', fix: 'Send a finite number within the bounds in the message.' },
  config_invalid: { kind: 'invalid', fix: 'Correct the setting named in the message.' },
  cycle: {
    kind: 'conflict',
    fix: 'Bind from cause to effect. Cycles are possible only in a graph that was created with allowCycles.',
  },
  reserve_spent: {
    kind: 'exhausted',
    fix: 'Request less energy. The reserve is finite and is never refilled.',
  },
  graph_full: { kind: 'exhausted', fix: 'Use another graph: it is chosen with --graph.' },
  history_erased: {
    kind: 'missing',
    fix: 'Query the node for its current value. Part of its history was erased.',
  },
  seal_broken: { kind: 'corrupt', fix: 'Rebuild the graph from its log.' },
  snapshot_damaged: { kind: 'corrupt', fix: 'Discard this snapshot and rebuild from the log.' },
  snapshot_foreign: { kind: 'conflict', fix: 'Restore it with the settings it was made with.' },
})

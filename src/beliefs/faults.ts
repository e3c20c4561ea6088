import { defineFaults } from '../kernel/fault.ts'

export const beliefFaults = defineFaults('belief', {
  node_unknown: { kind: 'missing', fix: 'Use an id that node.create returned.' },
  edge_unknown: { kind: 'missing', fix: 'Use an id that edge.bind returned.' },
  out_of_range: { kind: 'invalid', fix: 'Send a finite number inside the bounds the message names.' },
  config_invalid: { kind: 'invalid', fix: 'Correct the setting the message names.' },
  cycle: { kind: 'conflict', fix: 'Bind from cause to effect; only a graph made with allowCycles may loop.' },
  reserve_spent: {
    kind: 'exhausted',
    fix: 'Ask for less energy: the reserve is finite and is never refilled.',
  },
  graph_full: { kind: 'exhausted', fix: 'Start another graph.' },
  history_erased: {
    kind: 'missing',
    fix: 'Query the node instead: what led to it was erased and cannot be told any more.',
  },
  seal_broken: { kind: 'corrupt', fix: 'Rebuild the graph from its log.' },
  snapshot_damaged: { kind: 'corrupt', fix: 'Discard this snapshot and rebuild from the log.' },
  snapshot_foreign: { kind: 'conflict', fix: 'Restore it with the settings it was made with.' },
})

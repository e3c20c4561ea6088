/** An answer of the shape and size that `warrant_status` gives: both sides write the same amount of JSON. */
export const status = {
  version: '0.1.0',
  protocol: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'],
  toolsets: [{ name: 'core', tools: 1 }],
  readOnly: false,
  store: { kind: 'folder', state: 'absent', detail: 'nothing has been stored yet' },
  freshness: { at: '2026-01-01T00:00:00.000Z' },
}

/** The same for `node_query` and `node_create`. */
export const nodeState = { node_id: 100_000, belief: 0.5, energy: 1, timestamp: '2026-01-01T00:00:00.000Z' }

// The floor: the least a Node process can do and still answer MCP over stdio.

import { nodeState, status } from './lib/status.mjs'

const serverInfo = { name: 'floor', version: '1' }
const tool = { name: 'floor', description: 'Answers ok.', inputSchema: { type: 'object' } }

// Which of the answers it writes. The belief graph's is indented, for its older clients.
const [answered, indent] = process.argv[2] === 'node' ? [nodeState, 2] : [status, 0]

/** @type {Record<string, () => unknown>} */
const methods = {
  initialize: () => ({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo }),
  ping: () => ({}),
  'tools/list': () => ({ tools: [tool] }),
  'tools/call': () => ({
    content: [{ type: 'text', text: JSON.stringify(answered, null, indent) }],
    structuredContent: answered,
  }),
}

/** @param {string} line */
function answer(line) {
  const { id, method } = JSON.parse(line)
  if (id === undefined) return
  const result = methods[method]?.()
  const outcome = result ? { result } : { error: { code: -32601, message: `unknown method ${method}` } }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...outcome })}\n`)
}

let rest = ''
process.stdin.setEncoding('utf8')
process.stdin.on('data', (chunk) => {
  const lines = (rest + chunk).split('\n')
  rest = lines.pop() ?? ''
  for (const line of lines) answer(line)
})

import { isRecord } from '../../kernel/encoding/json.ts'
import type { FireContext } from './fire-clients.ts'
import type { CanaryRow } from './read-answer.ts'

const SERVER_MS = 30_000
const INITIALIZE = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'warrant-canary', version: '1' },
}
const FRAMES = [
  { jsonrpc: '2.0', id: 1, method: 'initialize', params: INITIALIZE },
  { jsonrpc: '2.0', method: 'notifications/initialized' },
  { jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} },
]
const INPUT = FRAMES.map((frame) => `${JSON.stringify(frame)}\n`).join('')

const parseLine = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** The tools that a client gets from `warrant mcp` in the copy; undefined without an answer. */
const listTools = async ({ clone }: FireContext): Promise<readonly string[] | undefined> => {
  const args = [process.argv[1] ?? '', 'mcp', '--root', clone.folder]
  const result = await clone.run(process.execPath, args, { input: INPUT, ms: SERVER_MS })
  const answers = (result?.stdout ?? '').split('\n').map(parseLine)
  const answer = answers.find((one) => isRecord(one) && one.id === 2)
  const listed = isRecord(answer) && isRecord(answer.result) ? answer.result.tools : undefined
  if (!Array.isArray(listed)) return undefined
  return listed.flatMap((tool) => (isRecord(tool) && typeof tool.name === 'string' ? [tool.name] : []))
}

/** A verdict BLOCKED in the copy has to hide the tools that write. */
export const fireServer = async (context: FireContext): Promise<CanaryRow> => {
  const { clone, canary } = context
  const point = 'MCP server'
  const open = await listTools(context)
  await clone.stage(canary.path, canary.planted)
  const gate = await clone.run(process.execPath, [process.argv[1] ?? '', 'gate'])
  const closed = await listTools(context)
  await clone.unstage(canary.path)
  if (open === undefined || closed === undefined)
    return {
      point,
      result: 'cannot be shown',
      detail: '`warrant mcp` did not list its tools',
      fix: 'Run `warrant doctor`.',
    }
  if (gate?.exitCode !== 1)
    return {
      point,
      result: 'does not block',
      detail: 'the gate does not refuse a planted credential',
      fix: 'Look for the rule in `.warrant/rules`, and run `warrant gate` on such a file.',
    }
  const hidden = open.filter((name) => !closed.includes(name))
  if (hidden.length > 0)
    return { point, result: 'blocks', detail: `while BLOCKED, it hides ${hidden.length} tools that write` }
  return {
    point,
    result: 'does not block',
    detail: 'while BLOCKED, it offers the same tools',
    fix: 'Remove the setting toolAccess: `warrant config` shows where it comes from.',
  }
}

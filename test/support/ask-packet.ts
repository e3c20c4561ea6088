import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { BINARY, cleanEnvironment, makeFolder } from './binary.ts'
import type { FaultRegistry } from './fault-registry.ts'
import { initialize, request } from './messages.ts'
import type { MadePacket } from './packet-maker.ts'

export interface AskSetting {
  readonly env?: Readonly<Record<string, string>>
  /** Words before the program. */
  readonly through?: readonly string[]
  /** Where something may have been fetched before. */
  readonly home?: string
}

/** Asks `cpm-mcp` about a packet, in a folder where nothing was fetched yet unless one is named. */
export const askPacket = async (
  registry: FaultRegistry,
  packet: MadePacket,
  words: object,
  setting: AskSetting = {},
) => {
  const { env = {}, through = [], home = await makeFolder() } = setting
  registry.play(packet, () => false)
  const [program = '', ...args] = [...through, process.execPath, join(BINARY, '../cpm-mcp.js')]
  const child = spawn(program, args, {
    cwd: home,
    env: cleanEnvironment({ REGISTRY: registry.address, CPM_ROOT: join(home, 'cpm'), ...env }),
  })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part
  })
  const call = request(2, 'tools/call', { name: 'query', arguments: { ref: 'demo', q: 'wick', ...words } })
  child.stdin.end(`${initialize()}\n${call}\n`)
  await once(child, 'close')
  const replies = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  return replies.find(({ id }) => id === 2)?.result.structuredContent
}

import { tmpdir } from 'node:os'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { composeServer } from '../../src/app/compose.ts'
import { loadConfig } from '../../src/app/config/load-config.ts'
import { createServerBasics } from '../../src/app/server-profile.ts'
import { serveLines } from '../../src/mcp/stdio.ts'
import { cleanEnvironment } from './binary.ts'
import { type Message, readMessage } from './messages.ts'

/**
 * Sends lines to the server of `warrant mcp`, hangs up, and returns every message it answered and what it logged. The
 * server runs in this process: the start of a program takes a tenth of a second of processor time.
 */
export const converseHere = async (
  lines: readonly string[],
  flags: Readonly<Record<string, string>>,
): Promise<{ readonly log: string; readonly messages: readonly Message[] }> => {
  let log = ''
  const context = {
    cwd: tmpdir(),
    environment: cleanEnvironment(),
    writeLog: (line: string) => {
      log += `${line}\n`
    },
  }
  const { config } = loadConfig(flags, context)
  const [input, output] = [new PassThrough(), new PassThrough()]
  const server = composeServer(config, context)
  const host = { handshake: createServerBasics(config, context), service: () => server.service }
  const { ended } = serveLines(host, input, output)
  const said = text(output)
  input.end(lines.map((line) => `${line}\n`).join(''))
  await ended
  await server.close()
  output.end()
  const answers = (await said).split('\n').filter((line) => line !== '')
  return { log, messages: answers.map(readMessage) }
}

import { open } from 'node:fs/promises'

const TERMINAL = process.platform === 'win32' ? '\\\\.\\CON' : '/dev/tty'
const MAX_ANSWER = 1_000

/**
 * Asks a question on the terminal of this process, even when its standard streams are redirected, and returns the
 * line that was typed. Undefined where there is no terminal.
 */
export const askTerminal = async (question: string): Promise<string | undefined> => {
  const terminal = await open(TERMINAL, 'r+').catch(() => undefined)
  if (terminal === undefined) return undefined
  try {
    await terminal.write(question)
    // A terminal hands over one line at a time.
    const { bytesRead, buffer } = await terminal.read(Buffer.alloc(MAX_ANSWER), 0, MAX_ANSWER, null)
    return buffer.toString('utf8', 0, bytesRead).replace(/\r?\n$/, '')
  } finally {
    await terminal.close()
  }
}

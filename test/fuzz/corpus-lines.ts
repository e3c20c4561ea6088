import type { Frame, Session } from './frames.ts'
import { findFault } from './run.ts'

const line = (text: string): Frame => ({ kind: 'fixed', bytes: Buffer.from(`${text}\n`) })
export const OPENINGS = {
  'as the first line': [],
  'after initialize': [line('{"jsonrpc":"2.0","id":"open","method":"initialize","params":{}}')],
  'once the SDK is in use': [line('{"jsonrpc":"2.0","id":"open","method":"resources/list"}')],
  'after a modern request': [
    line(
      '{"jsonrpc":"2.0","id":"open","method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}',
    ),
  ],
}

const DIALECTS: readonly Session['dialect'][] = ['standard', 'sentinel', 'scg']

const WAYS = DIALECTS.flatMap((dialect) => [true, false].map((direct) => ({ dialect, direct })))

/** Sends each line in every `step`th way; the first one changes from line to line. Returns what went wrong. */
export const findWronged = async (
  opening: readonly Frame[],
  lines: readonly Buffer[],
  step: number,
): Promise<readonly string[]> => {
  const wronged: string[] = []
  for (const [row, bytes] of lines.entries()) {
    const whole = { kind: 'corpus', bytes: Buffer.concat([bytes, Buffer.from('\n')]) }
    for (const { dialect, direct } of WAYS.filter((_, at) => (at + row) % step === 0)) {
      const session = { direct, dialect, frames: [...opening, whole, line('{')], cuts: [] }
      const { flaw } = await findFault(session, 3_000)
      const text = bytes.toString('latin1').slice(0, 200)
      if (flaw !== undefined) wronged.push(`${flaw} (${dialect}, direct: ${direct}): ${text}`)
    }
  }
  return wronged
}

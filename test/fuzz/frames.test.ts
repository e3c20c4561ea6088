import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { corpus, type Frame, type Session, sessions } from './frames.ts'
import { describeReport, findDifference, findFault, fuzz, readSeed } from './run.ts'

const line = (text: string): Frame => ({ kind: 'fixed', bytes: Buffer.from(`${text}\n`) })
const OPENINGS = {
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

describe.each(Object.entries(OPENINGS))('Tricky lines %s', (_, opening) => {
  test.each([...corpus])('get what they are owed: %s', { timeout: 120_000 }, async (_, lines) => {
    const wronged: string[] = []
    for (const bytes of lines) {
      const whole = { kind: 'corpus', bytes: Buffer.concat([bytes, Buffer.from('\n')]) }
      for (const dialect of DIALECTS) {
        for (const direct of [true, false]) {
          const session = { direct, dialect, frames: [...opening, whole, line('{')], cuts: [] }
          const { flaw } = await findFault(session, 3_000)
          const text = bytes.toString('latin1').slice(0, 200)
          if (flaw !== undefined) wronged.push(`${flaw} (${dialect}, direct: ${direct}): ${text}`)
        }
      }
    }
    expect(wronged).toEqual([])
  })
})

describe('Frames of every kind', () => {
  test('8,000 of them get what they are owed, and nothing else', { timeout: 120_000 }, async () => {
    const seed = readSeed()
    const report = await fuzz(4_000, seed)
    process.stdout.write(describeReport(seed, report))
    expect(report.frames).toBeGreaterThanOrEqual(4_000)
    // Every kind was tried and every kind of answer was seen, or the generator has gone blind.
    expect(report.kinds.size).toBeGreaterThanOrEqual(17)
    expect([...report.outcomes.keys()]).toEqual(
      expect.arrayContaining([
        'result',
        'notification',
        'error -32700',
        'error -32600',
        'error -32601',
        'error -32602',
      ]),
    )
  })

  test('6,000 of them get the same bytes directly and through the SDK', { timeout: 120_000 }, async () => {
    for (const session of fc.sample(sessions(50), { seed: readSeed(), numRuns: 120 })) {
      expect(await findDifference(session)).toBeUndefined()
    }
  })
})

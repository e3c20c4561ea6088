import { describe, expect, it } from 'vitest'
import type { LogLevel } from '../../kernel/ports.ts'
import { createLog, type LogFormat } from './log.ts'

const clock = { now: () => Date.UTC(2026, 0, 2, 3, 4, 5, 6), elapsed: () => 0, after: () => () => {} }

const written = (format: LogFormat, level: LogLevel, use: (log: ReturnType<typeof createLog>) => void) => {
  const lines: string[] = []
  use(createLog({ level, format, clock, write: (line) => lines.push(line) }))
  return lines
}

describe('the log', () => {
  it('writes JSON lines', () => {
    const [line] = written('json', 'info', (log) => log.write('warn', 'a message', { tool: 'x' }))
    expect(JSON.parse(line ?? '')).toEqual({
      at: '2026-01-02T03:04:05.006Z',
      level: 'warn',
      message: 'a message',
      tool: 'x',
    })
  })

  it('writes text in the format of a Java logger, in local time', () => {
    const hour = String(new Date(clock.now()).getHours()).padStart(2, '0')
    const [line = ''] = written('text', 'info', (log) => log.write('error', 'a message', { tool: 'x' }))
    expect(line).toMatch(/^\d\d:\d\d:05\.006 \[main\] ERROR warrant - a message \{"tool":"x"\}$/)
    expect(line.slice(0, 2)).toBe(hour)
  })

  it('leaves out lines below its level', () => {
    const lines = written('text', 'warn', (log) => {
      for (const level of ['debug', 'info', 'warn', 'error'] as const) log.write(level, level)
    })
    expect(lines).toHaveLength(2)
  })

  it.each(['json', 'text'] as const)('lets no value forge a line or paint the terminal, as %s', (format) => {
    const evil =
      'x\n03:04:05.006 [main] INFO warrant - forged\r\u001b[2J\u0000\u0085\u2028\u202e\u009b31m\u{e0041}'
    const [line = ''] = written(format, 'info', (log) => log.write('info', evil, { evil }))
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for exactly these
    expect(line).not.toMatch(/[\u0000-\u001f]/)
    expect(line).not.toMatch(/[\u0085\u009b\u2028\u202e\u{e0041}]/u)
    if (format === 'json') expect(JSON.parse(line).evil).toBe(evil)
  })
})

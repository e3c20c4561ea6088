import { expect, it, vi } from 'vitest'
import { terminal } from './terminal.ts'

/** What `terminal.print` writes to stdout. */
const printed = (text: string, isTTY: boolean): string => {
  const written: string[] = []
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((line) => {
    written.push(String(line))
    return true
  })
  const before = Object.getOwnPropertyDescriptor(process.stdout, 'isTTY')
  Object.defineProperty(process.stdout, 'isTTY', { value: isTTY, configurable: true })
  try {
    terminal.print(text)
  } finally {
    if (before === undefined) Reflect.deleteProperty(process.stdout, 'isTTY')
    else Object.defineProperty(process.stdout, 'isTTY', before)
    write.mockRestore()
  }
  return written.join('')
}

it('gives a pipe every byte, and a terminal nothing that paints it', () => {
  const painted = 'safe\u001b]0;owned\u0007\u001b[2Jhidden\rforged \u009b31m \u202e end\twide\r'
  expect(printed(painted, false)).toBe(`${painted}\n`)
  const shown = printed(painted, true)
  expect(shown).toBe(
    'safe\\u001b]0;owned\\u0007\\u001b[2Jhidden\\u000dforged \\u009b31m \\u202e end\twide\\u000d\n',
  )
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for exactly these
  expect(shown).not.toMatch(/[\u001b\u0007\u009b\u202e]/)
})

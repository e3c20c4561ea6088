import { type CheckReader, CheckUnreadable } from './reader.ts'
import { cleanText, linesOf, MAX_MESSAGE } from './result-text.ts'

const LAST_LINES = 10

/** The last lines with text, within a length; the end matters most, so the start is cut. */
const lastLines = (bytes: Uint8Array, length: number): string => {
  const lines: string[] = []
  // Ten lines are at the end of the output: the rest need not be decoded.
  for (const line of linesOf(bytes.subarray(Math.max(0, bytes.length - 64 * 1024)))) {
    const text = cleanText(line, length)
    if (text !== '') lines.push(text)
    if (lines.length > LAST_LINES) lines.shift()
  }
  const text = lines.join(' | ')
  return text.length > length ? `…${text.slice(1 - length).replace(/^[\udc00-\udfff]/, '')}` : text
}

/** Judges by the exit code alone; the last lines say what the tool printed. */
export const readExit: CheckReader = ({ bytes, exitCode }) => {
  if (exitCode === undefined) throw new CheckUnreadable('the tool has no exit code')
  if (exitCode === 0) return { results: [] }
  const said = lastLines(bytes, MAX_MESSAGE - 100)
  const message = `The tool ended with exit code ${exitCode}${said === '' ? ' and printed nothing' : `: ${said}`}`
  return { results: [{ rule: 'exit', level: 'error', message }] }
}

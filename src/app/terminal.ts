import { toUnicodeEscape } from '../kernel/text/escape-text.ts'
import { EXIT_CODES, type Terminal } from '../surfaces/cli/command.ts'

type Stream = typeof process.stdout | typeof process.stderr

const quiet = new WeakSet<Stream>()

/** What moves the cursor, paints, or turns the direction of writing; ends of lines do not. */
const PAINT = /\r(?!\n)|[^\P{Cc}\r\n\t]|[\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

/**
 * Text as a terminal may have it: what would paint there is shown as what it is, whoever wrote it. A file or a pipe
 * has every byte.
 */
const plainFor = (stream: Stream, text: string): string =>
  stream.isTTY === true ? text.replace(PAINT, toUnicodeEscape) : text

/** Whoever reads may be gone, which is no reason to die. An answer that found no room on a disk is no success. */
const onFailure = (stream: Stream): void => {
  let said = false
  stream.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (said || code === 'EPIPE' || stream !== process.stdout) return
    said = true
    process.stderr.write(`warrant: the answer cannot be written (${code})\n`)
    process.once('exit', () => {
      process.exitCode = EXIT_CODES.unavailable
    })
  })
}

const writeLine = (stream: Stream, text: string): void => {
  if (!quiet.has(stream)) onFailure(stream)
  quiet.add(stream)
  stream.write(`${text}\n`)
}

export const writeLog = (line: string): void => writeLine(process.stderr, line)

export const terminal: Terminal = {
  print: (text) => writeLine(process.stdout, plainFor(process.stdout, text)),
  printError: (text) => writeLine(process.stderr, plainFor(process.stderr, text)),
  printStyled: (text) => writeLine(process.stdout, text),
}

/** Colour is for eyes: never into a file or a pipe, and not for who asked for none. */
export const supportsColor = (): boolean => process.stdout.isTTY === true && !process.env.NO_COLOR

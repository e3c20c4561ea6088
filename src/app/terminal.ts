import { EXIT_CODES, type Terminal } from '../cli/command/command.ts'
import { toUnicodeEscape } from '../kernel/text/escape-text.ts'

type Stream = typeof process.stdout | typeof process.stderr

/** Streams that have their error handler. */
const guarded = new WeakSet<Stream>()

/** Characters that move the cursor, colour text or change its direction. Line ends and tabs are allowed. */
const CONTROLS = /\r(?!\n)|[^\P{Cc}\r\n\t]|[\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

/**
 * Escapes control characters on a terminal, because the text may quote untrusted files. A file or a pipe gets the
 * text unchanged.
 */
const escapeFor = (stream: Stream, text: string): string =>
  stream.isTTY === true ? text.replace(CONTROLS, toUnicodeEscape) : text

/** Ignores EPIPE, since the reader may exit early. Any other error on stdout, such as ENOSPC, fails the command. */
const onFailure = (stream: Stream): void => {
  let reported = false
  stream.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (reported || code === 'EPIPE' || stream !== process.stdout) return
    reported = true
    process.stderr.write(`warrant: cannot write the result to stdout (${code})\n`)
    process.once('exit', () => {
      process.exitCode = EXIT_CODES.unavailable
    })
  })
}

const writeLine = (stream: Stream, text: string): void => {
  if (!guarded.has(stream)) onFailure(stream)
  guarded.add(stream)
  stream.write(`${text}\n`)
}

export const writeLog = (line: string): void => writeLine(process.stderr, line)

export const terminal: Terminal = {
  print: (text) => writeLine(process.stdout, escapeFor(process.stdout, text)),
  printError: (text) => writeLine(process.stderr, escapeFor(process.stderr, text)),
  printStyled: (text) => writeLine(process.stdout, text),
}

/** Colours only on a terminal, and not with NO_COLOR. */
export const supportsColor = (): boolean => process.stdout.isTTY === true && !process.env.NO_COLOR

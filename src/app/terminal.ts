import type { Terminal } from '../surfaces/cli/command.ts'

type Stream = typeof process.stdout | typeof process.stderr

const quiet = new WeakSet<Stream>()

/** Writes a line. Whoever reads it may be gone; that is no reason to die. */
const writeLine = (stream: Stream, text: string): void => {
  if (!quiet.has(stream)) stream.on('error', () => {})
  quiet.add(stream)
  stream.write(`${text}\n`)
}

export const writeLog = (line: string): void => writeLine(process.stderr, line)

export const terminal: Terminal = {
  print: (text) => writeLine(process.stdout, text),
  note: (text) => writeLine(process.stderr, text),
}

/** Colour is for eyes: never into a file or a pipe, and not for who asked for none. */
export const showsColour = (): boolean => process.stdout.isTTY === true && !process.env.NO_COLOR

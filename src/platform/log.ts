import type { JsonObject } from '../kernel/json.ts'
import type { Clock, Log, LogLevel } from '../kernel/ports.ts'

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const satisfies readonly LogLevel[]
export const LOG_FORMATS = ['json', 'text'] as const
export type LogFormat = (typeof LOG_FORMATS)[number]

interface LogOptions {
  readonly level: LogLevel
  readonly format: LogFormat
  readonly clock: Clock
  /** Who writes, in the text form. */
  readonly name?: string
  readonly write: (line: string) => void
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what we look for
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g

// A newline in a logged value could forge a line of its own; an escape could repaint the terminal.
const escapeControls = (text: string): string =>
  text.replace(CONTROLS, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)

type Line = (at: number, level: LogLevel, message: string, fields: JsonObject) => string

const jsonLine: Line = (at, level, message, fields) =>
  JSON.stringify({ at: new Date(at).toISOString(), level, message, ...fields })

const textLine =
  (name: string): Line =>
  (at, level, message, fields) => {
    const time = new Date(at).toISOString().slice(11, 23)
    const tail = Object.keys(fields).length === 0 ? '' : ` ${JSON.stringify(fields)}`
    return escapeControls(`${time} [main] ${level.toUpperCase().padEnd(5)} ${name} - ${message}${tail}`)
  }

/** A log of lines. It goes to stderr: stdout belongs to the protocol. */
export const createLog = ({ level, format, clock, name = 'warrant', write }: LogOptions): Log => {
  const threshold = LOG_LEVELS.indexOf(level)
  const line = format === 'json' ? jsonLine : textLine(name)
  return {
    write(at, message, fields = {}) {
      if (LOG_LEVELS.indexOf(at) >= threshold) write(line(clock.now(), at, message, fields))
    },
  }
}

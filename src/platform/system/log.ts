import type { JsonObject } from '../../kernel/encoding/json.ts'
import type { Clock, Log, LogLevel } from '../../kernel/ports.ts'
import { escapeInvisible } from '../../kernel/text/escape-text.ts'

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const satisfies readonly LogLevel[]
export const LOG_FORMATS = ['json', 'text'] as const
export type LogFormat = (typeof LOG_FORMATS)[number]

interface LogOptions {
  readonly level: LogLevel
  readonly format: LogFormat
  readonly clock: Clock
  /** Name of the logger in the text format. */
  readonly name?: string
  readonly write: (line: string) => void
}

/**
 * Formats one line and escapes it: a newline in a logged value could forge a line, an escape sequence could repaint the
 * terminal, and a bidirectional mark could reorder the text.
 */
type FormatLine = (at: number, level: LogLevel, message: string, fields: JsonObject) => string

const jsonLine: FormatLine = (at, level, message, fields) =>
  escapeInvisible(JSON.stringify({ at: new Date(at).toISOString(), level, message, ...fields }))

const twoDigits = (value: number): string => String(value).padStart(2, '0')

/** Local time of day, as Java's loggers print it. */
const timeOfDay = (at: number): string => {
  const date = new Date(at)
  const parts = [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits)
  return `${parts.join(':')}.${String(date.getMilliseconds()).padStart(3, '0')}`
}

const textLine =
  (name: string): FormatLine =>
  (at, level, message, fields) => {
    const tail = Object.keys(fields).length === 0 ? '' : ` ${JSON.stringify(fields)}`
    return escapeInvisible(
      `${timeOfDay(at)} [main] ${level.toUpperCase().padEnd(5)} ${name} - ${message}${tail}`,
    )
  }

/** A log of lines. `write` has to go to stderr: stdout belongs to the protocol. */
export const createLog = ({ level, format, clock, name = 'warrant', write }: LogOptions): Log => {
  const threshold = LOG_LEVELS.indexOf(level)
  const formatLine = format === 'json' ? jsonLine : textLine(name)
  return {
    write(at, message, fields = {}) {
      if (LOG_LEVELS.indexOf(at) >= threshold) write(formatLine(clock.now(), at, message, fields))
    },
  }
}

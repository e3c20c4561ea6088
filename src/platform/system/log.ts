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
  /** Who writes, in the text form. */
  readonly name?: string
  readonly write: (line: string) => void
}

/**
 * Escaped as a whole: a newline in a logged value could forge a line of its own, an escape could repaint the terminal,
 * and a mark for the direction of writing turn round what stands there.
 */
type Line = (at: number, level: LogLevel, message: string, fields: JsonObject) => string

const jsonLine: Line = (at, level, message, fields) =>
  escapeInvisible(JSON.stringify({ at: new Date(at).toISOString(), level, message, ...fields }))

const two = (value: number): string => String(value).padStart(2, '0')

/** As Java's loggers show it: the time of day where the machine stands. */
const timeOfDay = (at: number): string => {
  const date = new Date(at)
  const parts = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two)
  return `${parts.join(':')}.${String(date.getMilliseconds()).padStart(3, '0')}`
}

const textLine =
  (name: string): Line =>
  (at, level, message, fields) => {
    const tail = Object.keys(fields).length === 0 ? '' : ` ${JSON.stringify(fields)}`
    return escapeInvisible(
      `${timeOfDay(at)} [main] ${level.toUpperCase().padEnd(5)} ${name} - ${message}${tail}`,
    )
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

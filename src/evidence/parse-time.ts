const PATTERN =
  /^(\d{4})-(\d\d)-(\d\d)(?:t(\d\d:\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(z|[ +-]\d\d(?::?\d\d)?)?)?$/

const isDay = (year: number, month: number, day: number): boolean => {
  const date = new Date(Date.UTC(year, month - 1, day))
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day
}

// An unescaped plus in a query string arrives as a space.
const normalizeOffset = (offset: string): string => {
  if (offset === 'z') return 'Z'
  const digits = offset.replace(':', '').slice(1).padEnd(4, '0')
  return `${offset[0] === '-' ? '-' : '+'}${digits.slice(0, 2)}:${digits.slice(2)}`
}

/**
 * Parses an ISO 8601 bound to milliseconds; undefined when it is invalid. A date without time means the first
 * millisecond of the day (`after`) or the last (`before`). A time without offset is UTC.
 */
export const parseBound = (text: string, edge: 'after' | 'before'): number | undefined => {
  const [, year, month, day, minutes, seconds = '00', fraction = '000', offset = 'z'] =
    PATTERN.exec(text.trim().toLowerCase()) ?? []
  if (year === undefined || !isDay(Number(year), Number(month), Number(day))) return undefined
  const date = `${year}-${month}-${day}`
  if (minutes === undefined) {
    return Date.parse(edge === 'after' ? `${date}T00:00:00.000Z` : `${date}T23:59:59.999Z`)
  }
  const milliseconds = fraction.slice(0, 3).padEnd(3, '0')
  const time = Date.parse(`${date}T${minutes}:${seconds}.${milliseconds}${normalizeOffset(offset)}`)
  return Number.isNaN(time) ? undefined : time
}

import type { Flags } from './load-config.ts'

/** A flag with the first value that is not blank, trimmed. */
export const firstSet = (flag: string, ...values: readonly (string | undefined)[]): Flags => {
  const value = values.find((one) => one !== undefined && one.trim() !== '')
  return value === undefined ? {} : { [flag]: value.trim() }
}

/** A port variable that does not begin with a number is ignored: existing clients rely on it. */
export const parsePort = (text: string | undefined): string | undefined => {
  const port = Number.parseInt(text ?? '', 10)
  return Number.isNaN(port) ? undefined : String(port)
}

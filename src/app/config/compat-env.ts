import type { Flags } from './load-config.ts'

/** The first of several variables that is set to something, as the setting it stands for. Blanks around it do not count. */
export const firstSet = (flag: string, ...values: readonly (string | undefined)[]): Flags => {
  const value = values.find((one) => one !== undefined && one.trim() !== '')
  return value === undefined ? {} : { [flag]: value.trim() }
}

/** A port that begins with no number is passed over, as the first clients know it. */
export const portOf = (text: string | undefined): string | undefined => {
  const port = Number.parseInt(text ?? '', 10)
  return Number.isNaN(port) ? undefined : String(port)
}

import { isRecord } from '../../../kernel/encoding/json.ts'

export type JsonRecord = Readonly<Record<string, unknown>>

/** A member of an object, whatever its author named it: inherited members do not count. */
export const member = (value: unknown, name: string): unknown =>
  isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined

export const objectAt = (value: unknown, name: string): JsonRecord | undefined => {
  const found = member(value, name)
  return isRecord(found) ? found : undefined
}

export const textAt = (value: unknown, name: string): string | undefined => {
  const found = member(value, name)
  return typeof found === 'string' && found !== '' ? found : undefined
}

export const listAt = (value: unknown, name: string): readonly unknown[] => {
  const found = member(value, name)
  return Array.isArray(found) ? found : []
}

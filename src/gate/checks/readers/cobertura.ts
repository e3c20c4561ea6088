import { type CheckReader, CheckUnreadable } from './reader.ts'

export const readCobertura: CheckReader = () => {
  throw new CheckUnreadable('the format cobertura is not read yet')
}

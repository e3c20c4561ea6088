import { type CheckReader, CheckUnreadable } from './reader.ts'

export const readSarif: CheckReader = () => {
  throw new CheckUnreadable('the format sarif is not read yet')
}

import { type CheckReader, CheckUnreadable } from './reader.ts'

export const readLines: CheckReader = () => {
  throw new CheckUnreadable('the format lines is not read yet')
}

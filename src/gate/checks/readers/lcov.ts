import { type CheckReader, CheckUnreadable } from './reader.ts'

export const readLcov: CheckReader = () => {
  throw new CheckUnreadable('the format lcov is not read yet')
}

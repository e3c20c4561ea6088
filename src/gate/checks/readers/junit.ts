import { type CheckReader, CheckUnreadable } from './reader.ts'

export const readJunit: CheckReader = () => {
  throw new CheckUnreadable('the format junit is not read yet')
}

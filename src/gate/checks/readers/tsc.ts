import { type CheckReader, CheckUnreadable } from './reader.ts'

export const readTsc: CheckReader = () => {
  throw new CheckUnreadable('the format tsc is not read yet')
}

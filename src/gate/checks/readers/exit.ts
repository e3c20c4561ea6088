import { type CheckReader, CheckUnreadable } from './reader.ts'

export const readExit: CheckReader = () => {
  throw new CheckUnreadable('the format exit is not read yet')
}

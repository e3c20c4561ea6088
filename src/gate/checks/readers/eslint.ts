import { type CheckReader, CheckUnreadable } from './reader.ts'

export const readEslint: CheckReader = () => {
  throw new CheckUnreadable('the format eslint is not read yet')
}

import type { Invocation } from './command/command.ts'

/** Prints the result of a command, as JSON or as text. Returns the exit code of success. */
export const printOutput = ({ json, terminal }: Invocation, value: object, text: () => string): number => {
  terminal.print(json ? JSON.stringify(value) : text())
  return 0
}

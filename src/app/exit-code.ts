import { EXIT_BUG } from '../cli/command/command.ts'

/**
 * Sets the exit code of the process. Until the command ends it is the code of a bug: when the event loop runs empty
 * before the gate has judged, the exit code must not be 0, which means "passed".
 */
export const exitWith = async (code: Promise<number>): Promise<void> => {
  process.exitCode = EXIT_BUG
  process.exitCode = await code
}

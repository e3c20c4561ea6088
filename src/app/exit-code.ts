import { EXIT_BUG } from '../surfaces/cli/command.ts'

/**
 * The code this process will leave with. Until there is one it is that of a bug: a process that runs out of things
 * to do before it has decided anything must not look like one that let everything pass.
 */
export const exitWith = async (code: Promise<number>): Promise<void> => {
  process.exitCode = EXIT_BUG
  process.exitCode = await code
}

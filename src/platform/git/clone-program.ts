import { join } from 'node:path'
import { readRegularFile } from '../jail/async.ts'
import { gitConfig } from './config.ts'
import { findPlace, type GitStart } from './place.ts'

const MAX_BYTES = 1024 * 1024

/**
 * Notes the program that judges in this clone in its configuration: committed hooks start it, and refuse when it is
 * gone. Git is asked to write only where the note is missing.
 */
export const rememberProgram = async (
  start: GitStart,
  program: string,
  signal: AbortSignal,
): Promise<void> => {
  const place = await findPlace(start, signal)
  if (place?.folders === undefined) return
  const path = join(place.folders.common, 'config')
  const present = await readRegularFile(path, MAX_BYTES).catch(() => undefined)
  if (!present?.includes(`program = ${program}\n`))
    await gitConfig(start).write(new Map([['warrant.program', program]]), signal)
}

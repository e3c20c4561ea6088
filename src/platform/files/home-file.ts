import { homedir } from 'node:os'
import { join } from 'node:path'
import { readRegularFile } from '../jail/async.ts'

const MAX_BYTES = 4 * 1024 * 1024

/** The text of a file in the home folder of the user; undefined when it cannot be read. */
export const readHomeFile = async (path: string): Promise<string | undefined> =>
  (await readRegularFile(join(homedir(), path), MAX_BYTES).catch(() => undefined))?.toString('utf8')

import { basename, resolve } from 'node:path'
import type { ImportSource } from '../../gate/checks/import-results.ts'
import { MAX_OUTPUT_BYTES } from '../../gate/checks/readers/reader.ts'
import { readRegularFile } from '../../platform/jail/async.ts'
import { usageFaults } from '../command/command.ts'

/** `NAME=FILE` or `FILE`. A file whose name looks like the first is written with a folder: `./a=b.json`. */
const NAMED = /^([A-Za-z0-9][A-Za-z0-9._-]{0,39})=(.+)$/s

const readOne = async (text: string): Promise<ImportSource> => {
  const [, name, file = text] = NAMED.exec(text) ?? []
  const refuse = (why: string, cause?: unknown) =>
    usageFaults.option(`--import: cannot read ${JSON.stringify(file)}: ${why}`, { cause })
  const bytes = await readRegularFile(resolve(file), MAX_OUTPUT_BYTES).catch(
    (cause: NodeJS.ErrnoException) => {
      throw refuse(cause.code ?? 'unknown error', cause)
    },
  )
  if (bytes === undefined) throw refuse(`it is no regular file, or longer than ${MAX_OUTPUT_BYTES} bytes`)
  return { name, label: basename(file), bytes }
}

/** Reads the files that `--import` names. */
export const readImportFiles = (files: readonly string[]): Promise<readonly ImportSource[]> =>
  Promise.all(files.map(readOne))

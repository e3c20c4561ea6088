import { digestBytes, digestJson } from '../../kernel/encoding/hash.ts'
import type { RepositoryFiles } from '../../kernel/ports.ts'
import type { FolderNames } from '../ports.ts'

type ChangeFiles = Pick<RepositoryFiles, 'read'> & FolderNames

/** The files of a change, by digest. */
export interface ChangeDigest {
  readonly uri: string
  readonly digest: string
}

const MAX_FILES = 500
const MAX_DEPTH = 8
const MAX_BYTES = 1_048_576

/** Digests of the files below a folder, by path. What cannot be read, or is beyond the limits, is listed without one. */
const digestFolder = async (
  files: ChangeFiles,
  folder: string,
  found: Map<string, string>,
  depth = 0,
): Promise<void> => {
  for (const name of await files.names(folder)) {
    const path = `${folder}/${name}`
    const isFolder = await files.names(path).then(
      () => depth < MAX_DEPTH,
      () => false,
    )
    if (isFolder) await digestFolder(files, path, found, depth + 1)
    else {
      const bytes =
        found.size < MAX_FILES ? await files.read(path, MAX_BYTES).catch(() => undefined) : undefined
      found.set(path, bytes === undefined ? '' : digestBytes(bytes))
    }
  }
}

/** The files of an OpenSpec change in the working tree, as an input of a verdict. */
export const digestChange = async (files: ChangeFiles, id: string): Promise<ChangeDigest> => {
  const folder = `openspec/changes/${id}`
  const found = new Map<string, string>()
  await digestFolder(files, folder, found)
  return { uri: folder, digest: digestJson(Object.fromEntries(found)) }
}

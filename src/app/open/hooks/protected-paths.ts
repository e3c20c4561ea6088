import { isAbsolute, join, resolve } from 'node:path'
import { ENTRY_FILES, GIT_PARTS, HOME_ENTRY_FILES, hasOwnEntry, OWN_FILES } from '../../../hooks/own-files.ts'
import { userStateFolder } from '../../../platform/files/user-state.ts'
import type { GitPlace } from '../../../platform/git/run.ts'
import { readRegularFile } from '../../../platform/jail/async.ts'
import { HOOK_NAMES } from '../../../setup/git-hooks/hook-script.ts'

const MAX_BYTES = 256 * 1024

const readText = async (path: string): Promise<string> =>
  (await readRegularFile(path, MAX_BYTES).catch(() => undefined))?.toString('utf8') ?? ''

/** Hooks in the folder that `core.hooksPath` of the repository names. */
const namedHooks = async (root: string, gitFolders: readonly string[]): Promise<string[]> => {
  const texts = await Promise.all(gitFolders.map((folder) => readText(join(folder, 'config'))))
  const folders = texts.flatMap((text) =>
    [...text.matchAll(/^\s*hookspath\s*=\s*"?([^"\n]+?)"?\s*$/gim)].map(([, name = '']) =>
      resolve(root, name),
    ),
  )
  return folders.flatMap((folder) => HOOK_NAMES.map((name) => join(folder, name)))
}

const withEntry = async (paths: readonly string[]): Promise<string[]> => {
  const found = await Promise.all(paths.map(async (path) => hasOwnEntry(await readText(path))))
  return paths.filter((_, at) => found[at])
}

/** The program itself, where it is installed as a dependency: its files decide what is answered. */
const programFolder = (program: string | undefined): string[] => {
  const [folder] = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(program ?? '') ?? []
  return folder === undefined || !isAbsolute(folder) ? [] : [folder]
}

interface OwnPlaces {
  readonly place: GitPlace
  readonly home: string
  readonly environment: NodeJS.ProcessEnv
  readonly program: string | undefined
}

/** Absolute paths that only a person and this program change. */
export const readOwnPaths = async ({
  place,
  home,
  environment,
  program,
}: OwnPlaces): Promise<readonly string[]> => {
  const root = place.folder
  const folders = [...new Set([join(root, '.git'), place.folders?.own, place.folders?.common])].filter(
    (one) => one !== undefined,
  )
  const entries = [
    ...ENTRY_FILES.map((path) => join(root, path)),
    ...HOME_ENTRY_FILES.map((path) => join(home, path)),
    ...(await namedHooks(root, folders)),
  ]
  return [
    ...OWN_FILES.map((path) => join(root, path)),
    ...folders.flatMap((folder) => GIT_PARTS.map((part) => join(folder, part))),
    userStateFolder(environment, process.platform, () => home),
    ...(await withEntry(entries)),
    ...programFolder(program),
  ]
}

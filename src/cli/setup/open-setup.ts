import { join } from 'node:path'
import type { Config } from '../../app/config/settings.ts'
import { type OpenedRepository, openRepositoryForCommand } from '../../app/open/repository.ts'
import { digestBytes } from '../../kernel/encoding/hash.ts'
import { isRecord } from '../../kernel/encoding/json.ts'
import { setupFiles } from '../../platform/files/setup-files.ts'
import { userRecord, userStateFolder } from '../../platform/files/user-state.ts'
import { repositoryFiles } from '../../platform/git/worktree.ts'
import { findProgram } from '../../platform/programs/client-signs.ts'
import { trustedPath } from '../../platform/programs/trusted-path.ts'
import type { InstallationPorts } from '../../setup/git-hooks/install.ts'
import { requirePlaces } from '../../setup/git-hooks/install-hooks.ts'
import type { RepositoryPlaces } from '../../setup/git-hooks/ports.ts'
import { findHookSetup, type HookSetup } from '../../setup/hook-targets.ts'
import { type LaunchWords, LOCAL_LAUNCH, PATH_LAUNCH } from '../../setup/launch.ts'
import type { SetupPlaces } from '../../setup/ports.ts'
import { parseSetupRecord, type SetupRecord, writeSetupRecord } from '../../setup/record.ts'
import { installPorts } from './install-ports.ts'

const MAX_BYTES = 1024 * 1024

/** A repository to set up, or to leave again. */
export interface OpenedSetup extends OpenedRepository {
  readonly ports: InstallationPorts
  readonly places: RepositoryPlaces
  readonly files: SetupPlaces
  /** Whether a path of the working tree exists. A link counts: what it leads to is decided when it is used. */
  readonly exists: (path: string) => Promise<boolean>
  /** The packages that package.json lists. */
  readonly packages: ReadonlySet<string>
  readonly record: {
    readonly read: () => Promise<SetupRecord | undefined>
    readonly write: (record: SetupRecord) => Promise<void>
    readonly clear: () => Promise<void>
  }
}

const DEPENDENCIES = ['dependencies', 'devDependencies', 'optionalDependencies'] as const

const readPackages = async (root: string): Promise<ReadonlySet<string>> => {
  try {
    const bytes = await repositoryFiles(root).read('package.json', MAX_BYTES)
    const value: unknown = JSON.parse(Buffer.from(bytes ?? []).toString('utf8'))
    const lists = isRecord(value) ? DEPENDENCIES.map((name) => value[name]) : []
    const settings = isRecord(value) && 'lint-staged' in value ? ['lint-staged'] : []
    return new Set([...lists.flatMap((list) => (isRecord(list) ? Object.keys(list) : [])), ...settings])
  } catch {
    return new Set()
  }
}

/** Kept for this user and outside of the repository, which could name files of its own in it. */
const openRecord = (root: string): OpenedSetup['record'] => {
  const name = digestBytes(root).slice('sha256:'.length, 39)
  const stored = userRecord(() => join(userStateFolder(process.env), 'setup', `${name}.json`), MAX_BYTES)
  return {
    read: async () => parseSetupRecord(await stored.read()),
    write: (record) => stored.write(writeSetupRecord(record)),
    clear: () => stored.write({}),
  }
}

export const openSetup = async (config: Config): Promise<OpenedSetup> => {
  const repository = await openRepositoryForCommand(config)
  const { root, lifecycle, signal } = repository
  const places = await requirePlaces(lifecycle.git, signal)
  return {
    ...repository,
    ports: installPorts(repository),
    places,
    files: { tree: setupFiles(places.top), git: setupFiles(places.common) },
    exists: (path) =>
      repositoryFiles(root)
        .exists(path)
        .catch(() => true),
    packages: await readPackages(root),
    record: openRecord(root),
  }
}

export const openHookSetup = ({ places, exists, packages, lifecycle }: OpenedSetup): Promise<HookSetup> =>
  findHookSetup({ places, exists, packages, files: lifecycle.files })

/**
 * How other programs start Warrant: by its name where it is installed for this user, through npx where the repository
 * lists it as a package, else by its path on this machine.
 */
export const findLaunch = async ({ root, packages, exists, ports }: OpenedSetup): Promise<LaunchWords> => {
  const installed = await findProgram('warrant', trustedPath(process.env.PATH, root))
  // Another program may have the same name.
  if (installed !== undefined && /[\\/]warrant\.(?:js|cmd)$/.test(installed)) return PATH_LAUNCH
  if (packages.has('warrant') && (await exists('node_modules/warrant/package.json'))) return LOCAL_LAUNCH
  return [process.execPath, ports.program]
}

import { isDockerfile, readDockerfile } from '../deployment/dockerfile.ts'
import { joinPath, nameOf } from '../source/source-files.ts'
import type { ContainerFolders } from './container-folders.ts'
import { type Container, containerNames } from './containers.ts'
import { type Deployable, isInFolder, type ServiceDraft } from './service-draft.ts'

/** Containers that run the code of a service with another command: workers of a queue and schedulers. */

const WORKER =
  /\bcelery\b.*\bworker\b|\b(rq|taskiq|arq|faktory)\s+worker\b|\b(dramatiq|sidekiq|rqworker|qcluster|run_huey|huey_consumer)\b|\bqueue:(work|listen)\b|\b(node|npm|npx|yarn|pnpm|bun|python3?|uv|poetry|rake|php|java)\b.*\bworkers?\b|\bworker[\w-]*\.sh\b/i
const SCHEDULER =
  /\bcelery\b.*\bbeat\b|\bschedule:(work|run)\b|\b(rqscheduler|clockwork)\b|\bbeats?[\w-]*\.sh\b/i

const processKind = ({ values }: Container): 'worker' | 'scheduler' | undefined => {
  const command = values.join(' ').slice(0, 2_000)
  if (WORKER.test(command)) return 'worker'
  return SCHEDULER.test(command) ? 'scheduler' : undefined
}

/** Those beside a container that runs the code of the same folder for others to call. */
export const backgroundProcesses = (
  containers: readonly Container[],
): ReadonlyMap<Container, 'worker' | 'scheduler'> => {
  const coded = containers.filter(
    ({ codeFolder, technology, isJob }) => codeFolder !== undefined && technology === undefined && !isJob,
  )
  const kinds = new Map(coded.map((one) => [one, processKind(one)]))
  return new Map(
    coded.flatMap((one) => {
      const kind = kinds.get(one)
      const isBeside = coded.some(
        (other) =>
          other.codeFolder === one.codeFolder &&
          other.system === one.system &&
          kinds.get(other) === undefined,
      )
      return kind === undefined || !isBeside ? [] : [[one, kind] as const]
    }),
  )
}

/** The processes as services of their own. */
export const processServices = (
  processes: ReadonlyMap<Container, 'worker' | 'scheduler'>,
  taken: ReadonlySet<string>,
): readonly (readonly [Container, Deployable])[] =>
  [...processes].map(([one, kind]) => [
    one,
    {
      name: taken.has(one.name) ? `${one.name} (${kind})` : one.name,
      kind: 'service' as const,
      shownBy: one.shownBy,
      aliases: [...new Set([one.name, ...one.hosts])],
      libraries: [],
      process: { kind, folder: one.codeFolder ?? '' },
    },
  ])

const MAX_TEXT = 20_000
/** Folders of images with which a project is tested or built. */
const TOOL_IMAGE = /(^|[-_])(e2e|tests?|testing|mocks?|lint|ci|builder|buildenv|benchmarks?)([-_]|$)/

const dockerfileOf = ({ folder, dockerfile }: Container): string | undefined =>
  folder === undefined ? undefined : (dockerfile ?? joinPath(folder, 'Dockerfile'))

/** Whether an argument without a default says which program is built: `WORKDIR /src/$SERVICE`. */
const isImageTemplate = (text: string): boolean =>
  [...text.slice(0, MAX_TEXT).matchAll(/^\s*ARG\s+(\w+)\s*$/gim)].some(([, name]) =>
    new RegExp(`^\\s*(WORKDIR|CMD|ENTRYPOINT)\\b.*\\$\\{?${name}\\b`, 'im').test(text.slice(0, MAX_TEXT)),
  )

/** Dockerfiles that start something. One inside of another deployable, without a build file, is a tool of it. */
export const imageDrafts = (
  texts: ReadonlyMap<string, string>,
  known: readonly ServiceDraft[],
  folders: ReadonlySet<string>,
  places: ContainerFolders,
  containers: readonly Container[],
): readonly ServiceDraft[] =>
  [...texts].flatMap(([path, text]) => {
    if (!isDockerfile(path) || places.technologyIn(path) !== undefined) return []
    const folder = places.folderOfDockerfile(path)
    const above = known.some(
      (one) => one.folder !== '' && one.folder !== folder && isInFolder(folder, one.folder),
    )
    const isKnown = known.some((one) => one.folder === folder)
    // The code of a container that is built with it was looked for before; without a container, the image may be one
    // of many that are built with it.
    if (!isKnown && (containers.some((one) => dockerfileOf(one) === path) || isImageTemplate(text))) return []
    if (!isKnown && TOOL_IMAGE.test(nameOf(folder))) return []
    const kind = !isKnown && nameOf(folder) === 'cli' ? ('command' as const) : ('service' as const)
    const starts = readDockerfile(text)?.starts === true
    if (!isKnown && (above ? !(starts && folders.has(folder)) : !starts && !folders.has(folder))) return []
    return [{ folder, kind, evidence: { file: path, line: 1, reason: nameOf(path) } }]
  })

/** Containers that run an image of another repository. */
export const imageServices = (
  containers: readonly Container[],
  taken: ReadonlySet<string>,
): readonly (readonly [Container, Deployable])[] =>
  [...containerNames(containers)].flatMap(([one, name]) =>
    one.technology !== undefined
      ? []
      : [
          [
            one,
            {
              name: taken.has(name) ? `${name} (${one.image ?? 'image'})` : name,
              kind: one.isJob ? ('command' as const) : ('service' as const),
              shownBy: one.shownBy,
              aliases: [...new Set([one.name, ...one.hosts])],
              libraries: [],
            },
          ] as const,
        ],
  )

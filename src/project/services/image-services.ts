import { isDockerfile, readDockerfile } from '../deployment/dockerfile.ts'
import { nameOf } from '../source/source-files.ts'
import type { ContainerFolders } from './container-folders.ts'
import { type Container, containerNames } from './containers.ts'
import { isInside } from './names.ts'
import type { Deployable, ServiceDraft } from './service-draft.ts'

/** Folders of images with which a project is tested or built. */
const TOOL_IMAGE = /(^|[-_])(e2e|tests?|testing|mocks?|lint|ci|builder|buildenv|benchmarks?)([-_]|$)/

/** Dockerfiles that start something. One inside of another deployable, without a build file, is a tool of it. */
export const imageDrafts = (
  texts: ReadonlyMap<string, string>,
  known: readonly ServiceDraft[],
  folders: ReadonlySet<string>,
  places: ContainerFolders,
): readonly ServiceDraft[] =>
  [...texts].flatMap(([path, text]) => {
    if (!isDockerfile(path) || places.technologyIn(path) !== undefined) return []
    const folder = places.folderOfDockerfile(path)
    const above = known.some(
      (one) => one.folder !== '' && one.folder !== folder && isInside(folder, one.folder),
    )
    const isKnown = known.some((one) => one.folder === folder)
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

import type { DeclaredContainer } from '../deployment/declared-container.ts'
import { imageName } from '../deployment/technologies.ts'
import { joinPath } from '../source/source-files.ts'
import { isInside } from './names.ts'

/** Images that run the code that is put into them. */
const RUNTIME =
  /^(node|deno|bun|python|pypy|golang|go|openjdk|eclipse-temurin|amazoncorretto|maven|gradle|ruby|php|dotnet|sdk|rust)$/
const MAX_TEXT = 2_000

/** The last `WORKDIR` of an image, or the folder that a command changes to. */
const workingDirOf = (
  { workingDir, values }: DeclaredContainer,
  lines: readonly string[],
): string | undefined => {
  const command = values.join(' ').slice(0, MAX_TEXT)
  const [, entered] = /(?:^|[\s"'])cd\s+(\/[\w./-]+)/.exec(command) ?? []
  const built = lines.flatMap((line) => /^\s*WORKDIR\s+(\/[\w./-]+)\s*$/i.exec(line)?.[1] ?? []).at(-1)
  return (entered ?? workingDir ?? built)?.replace(/(.)\/+$/, '$1')
}

/** The folder of the project that is mounted where a container works, when it holds code. */
export const mountedCode = (
  one: DeclaredContainer,
  lines: readonly string[],
  holdsCode: (folder: string) => boolean,
): string | undefined => {
  const mounted = [...(one.mounted ?? [])]
  const at = mounted.length === 0 ? undefined : workingDirOf(one, lines)
  const around = mounted
    .filter(([path]) => at !== undefined && isInside(at, path))
    .sort(([a], [b]) => b.length - a.length)[0]
  if (at !== undefined && around !== undefined) {
    const [path, folder] = around
    const found = joinPath(folder, at.slice(path.length + 1)).replace(/\/$/, '')
    return holdsCode(found) ? found : undefined
  }
  const isRuntime = one.folder === undefined && RUNTIME.test(imageName(one.image ?? ''))
  const [only, ...others] = isRuntime ? new Set(mounted.map(([, folder]) => folder).filter(holdsCode)) : []
  return others.length === 0 ? only : undefined
}

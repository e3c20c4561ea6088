import { joinPath } from '../source/source-files.ts'

/** `../api` from a folder; undefined when it leaves the project or is a remote address. */
export const relativeFolder = (folder: string, path: string): string | undefined => {
  if (/^[a-z]+:\/\/|^git@|^[/~]|\$/.test(path)) return undefined
  const steps: string[] = []
  for (const step of joinPath(folder, path).split('/')) {
    if (step === '' || step === '.') continue
    if (step === '..') {
      if (steps.pop() === undefined) return undefined
    } else steps.push(step)
  }
  return steps.join('/')
}

interface VolumeEntry {
  readonly key: string
  readonly value: string
}

/** Folders of the project that a service of compose mounts, by their paths in the container. */
export const mountedFolders = (
  folder: string,
  volumes: readonly VolumeEntry[],
): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  const add = (source: string, target: string) => {
    // A name without a path is a volume of its own.
    const own = /^\.{1,2}(\/|$)/.test(source) ? relativeFolder(folder, source) : undefined
    const path = target.length > 1 ? target.replace(/\/+$/, '') : target
    if (own !== undefined && path.startsWith('/') && !found.has(path)) found.set(path, own)
  }
  for (const { key, value } of volumes) {
    const [, source, target] = /^([^:]+):(\/[^:]*)(?::\w[\w,]*)?$/.exec(value) ?? []
    if (/\]$/.test(key) && source !== undefined && target !== undefined) add(source, target)
    if (!key.endsWith('].source')) continue
    const at = key.replace(/source$/, 'target')
    add(value, volumes.find((one) => one.key === at)?.value ?? '')
  }
  return found
}

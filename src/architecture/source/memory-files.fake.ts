import { skipsFile, skipsFolder } from './discovery-rules.ts'
import { byPath, type ProjectFiles } from './source-files.ts'

/** Project files in memory, for tests: paths and texts. `undefined` is a file that cannot be read. */
export const memoryFiles = (
  files: Readonly<Record<string, string | undefined>>,
  root = '/srv/shop',
): ProjectFiles & { readonly bytesRead: () => number } => {
  let read = 0
  const seen = (path: string) => {
    const steps = path.split('/')
    return !steps.slice(0, -1).some(skipsFolder) && !skipsFile(steps.at(-1) ?? '')
  }
  return {
    root,
    walk: () => ({
      files: Object.keys(files)
        .filter(seen)
        .map((path) => ({ path }))
        .sort(byPath),
      warnings: [],
    }),
    read: (path) => {
      const text = Object.hasOwn(files, path) ? files[path] : undefined
      read += text?.length ?? 0
      return text
    },
    isTooLarge: () => false,
    bytesRead: () => read,
  }
}

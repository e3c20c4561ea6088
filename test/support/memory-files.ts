import { skipsFile, skipsFolder } from '../../src/project/source/discovery-rules.ts'
import { byPath, type ProjectFiles } from '../../src/project/source/source-files.ts'

/** A project that exists only in the test: paths and texts. `undefined` stands for a file nobody can read. */
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
    bytesRead: () => read,
  }
}

/** Files and folders that discovery skips. */

const SKIPPED_FOLDERS = new Set(['target', 'node_modules', 'dist', 'build', 'out'])
const SKIPPED_EXTENSIONS = ['.class', '.jar', '.war', '.ear', '.log', '.tmp', '.swp']

/** Names with a leading dot belong to tools: repositories, editors, caches. */
export const skipsFolder = (name: string): boolean => name.startsWith('.') || SKIPPED_FOLDERS.has(name)

export const skipsFile = (name: string): boolean =>
  name.startsWith('.') ||
  name === 'Thumbs.db' ||
  SKIPPED_EXTENSIONS.some((one) => name.toLowerCase().endsWith(one))

export const isConfigFile = (path: string): boolean => /\.(ya?ml|properties|xml)$/i.test(path)

/** Test code is left out: it does not show connections of the running system. */
export const isTestPath = (path: string): boolean =>
  /(^|\/)(src\/(test|testFixtures|integrationTest|it)|test|tests|__tests__|e2e)\//.test(path) ||
  /\.(test|spec)\.\w+$/.test(path)

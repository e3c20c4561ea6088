/** What discovery never looks at, before anything is counted. */

const FOLDERS = new Set(['target', 'node_modules', 'dist', 'build', 'out'])
const ENDINGS = ['.class', '.jar', '.war', '.ear', '.log', '.tmp', '.swp']
const NAMES = new Set(['Thumbs.db'])

/** Dot-names are tools' own affairs: repositories, editors, caches. */
export const skipsFolder = (name: string): boolean => name.startsWith('.') || FOLDERS.has(name)

export const skipsFile = (name: string): boolean =>
  name.startsWith('.') || NAMES.has(name) || ENDINGS.some((ending) => name.toLowerCase().endsWith(ending))

export const isConfigFile = (path: string): boolean => /\.(ya?ml|properties|xml)$/i.test(path)

/** Code that only runs in tests says nothing about production. */
export const isTestPath = (path: string): boolean =>
  /(^|\/)(src\/(test|testFixtures|integrationTest|it)|test|tests|__tests__|e2e)\//.test(path) ||
  /\.(test|spec)\.\w+$/.test(path)

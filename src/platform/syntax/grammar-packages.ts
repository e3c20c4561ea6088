import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { GRAMMAR_PACKAGES, type MissingGrammar, OPTIONAL_GRAMMARS } from '../../kernel/text/languages.ts'

const load = createRequire(import.meta.url)

/** The folder of this package: its programs are below `dist`, its sources below `src`. */
const PACKAGE_FOLDER = (/^(.*)[/\\](?:dist|src)[/\\]/.exec(fileURLToPath(import.meta.url)) ?? [])[1] ?? ''
const PARENT_FOLDER = dirname(PACKAGE_FOLDER)
const isInstalled = basename(PARENT_FOLDER) === 'node_modules'

/** Where optional grammars are looked for. Folders further up belong to others, and a parser is native code. */
const GRAMMAR_FOLDERS = [join(PACKAGE_FOLDER, 'node_modules'), ...(isInstalled ? [PARENT_FOLDER] : [])]

interface GrammarPackage {
  readonly libraryPath: string
  readonly extensions: string[]
}

/** The package of an optional grammar; undefined when it, or its parser for this machine, is not installed. */
const loadOptional = (name: string): GrammarPackage | undefined => {
  for (const folder of GRAMMAR_FOLDERS) {
    try {
      const grammar: GrammarPackage = load(join(folder, name))
      if (existsSync(grammar.libraryPath)) return grammar
    } catch {
      // The next folder may have it.
    }
  }
  return undefined
}

/** The option of `npm install` that puts a package beside this one. */
const installOption = (): string => {
  if (!isInstalled) return '--no-save'
  return existsSync(join(dirname(PARENT_FOLDER), 'package.json')) ? '--save-dev' : '-g'
}

const missing = new Map<string, MissingGrammar | undefined>()

/** What has to be installed before texts of a grammar can be parsed; undefined when nothing has to. */
export const missingGrammar = (grammar: string): MissingGrammar | undefined => {
  const optional = OPTIONAL_GRAMMARS.get(grammar)
  if (optional !== undefined && !missing.has(grammar)) {
    const { language, name, version } = optional
    const install = `npm install ${installOption()} ${name}@${version}`
    missing.set(grammar, loadOptional(name) === undefined ? { language, install } : undefined)
  }
  return missing.get(grammar)
}

/** The packages of all grammars that are installed, by grammar. */
export const loadGrammars = (): Readonly<Record<string, GrammarPackage>> =>
  Object.fromEntries(
    [...GRAMMAR_PACKAGES].flatMap(([grammar, name]) => {
      const found: GrammarPackage | undefined = OPTIONAL_GRAMMARS.has(grammar)
        ? loadOptional(name)
        : load(name)
      return found === undefined ? [] : [[grammar, found]]
    }),
  )

import { basename, dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FAULT_TABLES } from '../scripts/docs.ts'
import { SETTINGS } from '../src/app/config/settings.ts'
import { commands } from '../src/cli/table.ts'
import { readSources, trackedFiles, withoutComments } from './support/module-graph.ts'

/**
 * Counts that rise unless they are watched. Each may fall, never rise: a new setting, command, option or fault removes
 * one, and code that exists is used instead of written again. Lower a number as soon as its count has fallen.
 */
const LIMITS = {
  /** Names of functions that more than one file defines: often the same idea twice. */
  'function names with two homes': 196,
  'constant names with two homes': 259,
  'short files with one importer beside them': 8,
  /** A cast belongs where a brand is made; elsewhere a guard or a default says the same to the compiler and at run time. */
  'type casts': 81,
  'members of the widest port': 13,
  settings: 56,
  options: 139,
  commands: 17,
  faults: 201,
} satisfies Readonly<Record<string, number>>

/** How many names other rooms import from each room. */
const NAMES_GIVEN: Readonly<Record<string, number>> = {
  app: 94,
  architecture: 37,
  beliefs: 13,
  cli: 11,
  evidence: 41,
  gate: 175,
  hooks: 28,
  http: 18,
  kernel: 161,
  lineage: 79,
  mcp: 13,
  packets: 144,
  platform: 127,
  project: 11,
  receipts: 39,
  setup: 71,
}

const SHORT_FILE = 40

const sources = readSources(
  trackedFiles('src').filter((path) => path.endsWith('.ts') && !/\.(test|fake|bench)\.ts$/.test(path)),
).map(({ path, text }) => ({ path, text, code: withoutComments(text) }))

const FUNCTION =
  /^(?:export )?(?:const (\w+)(?:: [^=\n]+)? = (?:async )?(?:<[^\n]*>)?\((?=[^\n]*(?:=>|$))|const (\w+) = (?:async )?\w+ =>|(?:async )?function\*? (\w+))/gm
/** Comments are taken out before; words of a text are not followed by a type in parentheses or with a capital. */
const CAST =
  /[\w)\]}] as (?:[A-Z]\w*|string|number|boolean|unknown|never|object|readonly|\(|\{|typeof|keyof)/g
const IMPORTS = /^(?:import|export) [^']*? from '[^']+'/gm
const CONSTANT = /^(?:export )?const ([A-Z][A-Z0-9_]*)\b/gm
const NAMED_IMPORT = /\bimport (?:type )?\{([^}]*)\} from '(\.[^']+)'/g
const IMPORT = /(?:\bfrom|\bimport\(?)\s*'(\.[^']+)'/g

const countShared = (pattern: RegExp): number => {
  const homes = new Map<string, Set<string>>()
  for (const { path, code } of sources)
    for (const match of code.matchAll(pattern)) {
      const name = match.slice(1).find((group) => group !== undefined) ?? ''
      homes.set(name, (homes.get(name) ?? new Set()).add(path))
    }
  expect(homes.size).toBeGreaterThan(100)
  return [...homes.values()].filter(({ size }) => size > 1).length
}

const countAll = (pattern: RegExp): number =>
  sources.reduce((sum, { code }) => sum + [...code.replace(IMPORTS, '').matchAll(pattern)].length, 0)

const importers = new Map<string, Set<string>>()
for (const { path, code } of sources)
  for (const [, specifier = ''] of code.matchAll(IMPORT)) {
    const target = normalize(join(dirname(path), specifier))
    importers.set(target, (importers.get(target) ?? new Set()).add(path))
  }

const roomOf = (path: string): string => path.split('/')[1] ?? ''

const linesOf = (text: string): number => text.split('\n').length - 1

const isShortWithOneImporter = ({ path, text }: { path: string; text: string }): boolean => {
  const [importer, ...others] = importers.get(path) ?? []
  return linesOf(text) < SHORT_FILE && others.length === 0 && dirname(importer ?? '') === dirname(path)
}

const portMembers = sources
  .filter(({ path }) => basename(path) === 'ports.ts')
  .flatMap(({ code }) => [...code.matchAll(/^export interface \w+[^{]*\{\n([\s\S]*?)^\}/gm)])
  .map(([, body = '']) => [...body.matchAll(/^ {2}(?:readonly )?\w+\??[:(]/gm)].length)

const options = commands().flatMap((command) => command.options().filter(({ group }) => group === undefined))

const MEASURED: Readonly<Record<keyof typeof LIMITS, number>> = {
  'function names with two homes': countShared(FUNCTION),
  'constant names with two homes': countShared(CONSTANT),
  'short files with one importer beside them': sources.filter(isShortWithOneImporter).length,
  'type casts': countAll(CAST),
  'members of the widest port': Math.max(...portMembers),
  settings: SETTINGS.length,
  options: options.length,
  commands: commands().length,
  faults: FAULT_TABLES.flatMap((table) => Object.values(table)).length,
}

describe('what may only fall', () => {
  it.each(Object.entries(LIMITS))('%s: at most %i', (measure, limit) => {
    expect(MEASURED[measure as keyof typeof LIMITS]).toBeLessThanOrEqual(limit)
    expect(MEASURED[measure as keyof typeof LIMITS]).toBeGreaterThan(0)
  })

  it('names that a room gives to other rooms', () => {
    const used = new Map<string, Set<string>>()
    for (const { path, code } of sources)
      for (const [, list = '', specifier = ''] of code.matchAll(NAMED_IMPORT)) {
        const room = roomOf(normalize(join(dirname(path), specifier)))
        const names = list.split(',').map((name) => name.trim().replace(/^type /, ''))
        if (room !== roomOf(path)) used.set(room, new Set([...(used.get(room) ?? []), ...names]))
      }
    const counts = [...used].map(([room, names]) => [room, names.size] as const).sort()
    expect(counts.map(([room]) => room)).toEqual(Object.keys(NAMES_GIVEN).sort())
    expect(counts.filter(([room, count]) => count > (NAMES_GIVEN[room] ?? 0))).toEqual([])
  })
})

import { compileBraceGlob, type PathTest } from '../../kernel/text/glob.ts'
import { extensionOf } from '../../kernel/text/languages.ts'
import type { CompiledRule } from './compiled-rule.ts'
import { readsExtension } from './languages.ts'
import { isProduction, pathUse } from './path-kinds.ts'
import type { RuleFile } from './rule.ts'

/** The folders of each platform, ending in `/`; `''` is the whole repository. */
export type PlatformRoots = Readonly<Record<string, readonly string[]>>

type Test = (path: string) => boolean
type Globs = RuleFile['files']

type CompileGlob = (glob: NonNullable<Globs>[number]) => PathTest

const compileOneGlob: CompileGlob = (one) =>
  typeof one === 'string'
    ? compileBraceGlob(one)
    : compileBraceGlob(one.glob, { nocase: one.caseInsensitive ?? false })

const compileGlobs = (globs: Globs, whenEmpty: boolean, compile: CompileGlob): PathTest => {
  if (globs === undefined || globs.length === 0) return () => whenEmpty
  const tests = globs.map(compile)
  return (segments) => tests.some((test) => test(segments))
}

/** The folders that a rule applies to. A platform that was not detected has none. */
export const rootsFor = (platforms: readonly string[], roots: PlatformRoots): readonly string[] =>
  [...new Set(platforms.flatMap((name) => (name === 'generic' ? [''] : (roots[name] ?? []))))].sort()

interface SplitPath {
  readonly path: string
  readonly segments: readonly string[]
  /** The segments with the extension in lower case; undefined when it already is. */
  readonly lowered: readonly string[] | undefined
}

let lastSplit: SplitPath = { path: '', segments: [''], lowered: undefined }

/** Keeps the last result: the scanner tests one path with every coverage in turn. */
const splitPath = (path: string): SplitPath => {
  if (lastSplit.path === path) return lastSplit
  const extension = extensionOf(path)
  const lowered = path.endsWith(extension)
    ? undefined
    : `${path.slice(0, path.length - extension.length)}${extension}`.split('/')
  lastSplit = { path, segments: path.split('/'), lowered }
  return lastSplit
}

let lastProduction: { readonly path: string; readonly value: boolean } | undefined

/** Keeps the last result, for the same reason. */
const isProductionPath = (path: string): boolean => {
  if (lastProduction?.path !== path) lastProduction = { path, value: isProduction(path) }
  return lastProduction.value
}

type Production = NonNullable<RuleFile['metadata']>['production']

const isRead = (path: string, production: Production): boolean => {
  if (!production) return true
  if (production === 'settings') {
    const use = pathUse(path)
    return use === 'production' || use === 'development'
  }
  return isProductionPath(path) || (production === 'scripts' && isProduction(path, true))
}

/** `evil.TS` is a TypeScript file like any other, so a pattern for `*.ts` covers it. */
const matchesPath = (test: PathTest, { segments, lowered }: SplitPath): boolean =>
  test(segments) || (lowered !== undefined && test(lowered))

/** Globs are relative to a platform's folder, so that a rule fits any layout. */
export const coverage = (
  { files, ignores }: Pick<RuleFile, 'files' | 'ignores'>,
  folders: readonly string[],
  {
    production = false,
    compile = compileOneGlob,
  }: { readonly production?: Production; readonly compile?: CompileGlob } = {},
): Test => {
  // Compiled with the first path: most coverages of a small change are never asked.
  let compiled: { readonly included: PathTest; readonly excluded: PathTest } | undefined
  return (path) =>
    isRead(path, production) &&
    folders.some((folder) => {
      if (!path.startsWith(folder)) return false
      compiled ??= {
        included: compileGlobs(files, true, compile),
        excluded: compileGlobs(ignores, false, compile),
      }
      const split = splitPath(path.slice(folder.length))
      return matchesPath(compiled.included, split) && !matchesPath(compiled.excluded, split)
    })
}

/** Rules with equal globs and folders share one function, so that the scanner calls it once a file. */
export class Coverages {
  readonly #globs = new Map<string, PathTest>()
  readonly #compile: CompileGlob = (glob) => {
    const key = JSON.stringify(glob)
    const test = this.#globs.get(key) ?? compileOneGlob(glob)
    this.#globs.set(key, test)
    return test
  }
  readonly #known = new Map<string, Test>()
  readonly #roots: PlatformRoots

  constructor(roots: PlatformRoots) {
    this.#roots = roots
  }

  of(rule: RuleFile, platforms: readonly string[]): Test | undefined {
    const folders = rootsFor(platforms, this.#roots)
    if (folders.length === 0) return undefined
    const production = rule.metadata?.production
    const key = JSON.stringify([rule.files, rule.ignores, folders, production])
    const compile = this.#compile
    const known = this.#known.get(key) ?? coverage(rule, folders, { production, compile })
    this.#known.set(key, known)
    return known
  }
}

/** Which paths rules apply to: other files are not read at all. */
export interface CoveredPaths {
  /** Whether a rule about syntax applies. */
  readonly bySyntax: Test
  /** Whether a rule applies that is not about every text. */
  readonly byKind: Test
  readonly byAny: Test
}

const testPaths = (rules: readonly CompiledRule[]): Test => {
  const groups = new Map<CompiledRule['language'], Set<CompiledRule['covers']>>()
  for (const { language, covers } of rules)
    groups.set(language, (groups.get(language) ?? new Set()).add(covers))
  return (path) => {
    const extension = extensionOf(path)
    for (const [language, tests] of groups) {
      if (!readsExtension(language, extension)) continue
      for (const covers of tests) if (covers(path)) return true
    }
    return false
  }
}

export const coveredPaths = (rules: readonly CompiledRule[]): CoveredPaths => {
  const bySyntax = testPaths(rules.filter(({ text }) => text === undefined))
  const byName = testPaths(rules.filter((rule) => rule.text !== undefined && !rule.everyFile))
  const everywhere = testPaths(rules.filter((rule) => rule.text !== undefined && rule.everyFile))
  const byKind: Test = (path) => bySyntax(path) || byName(path)
  return { bySyntax, byKind, byAny: (path) => everywhere(path) || byKind(path) }
}

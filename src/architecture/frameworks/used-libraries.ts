import type { Framework } from '../connections/framework.ts'
import { inOrder } from '../source/source-files.ts'
import { NO_METHOD, type SourceLanguage, type SourceUnit } from '../source/source-unit.ts'
import { FRAMEWORKS } from './frameworks.ts'
import { KNOWN_LIBRARIES, type KnownLibrary } from './known-libraries.ts'

/** A library that the project uses. */
export interface LibraryUse {
  readonly name: string
  readonly language: SourceLanguage
  readonly files: number
  /** The first file that uses it. */
  readonly example: string
}

export interface LibraryUses {
  /** Libraries that a detector knows. */
  readonly recognized: readonly LibraryUse[]
  /** Web and data libraries without a detector. */
  readonly unrecognized: readonly LibraryUse[]
}

/** A file that does nothing but import these modules. */
const importing = (language: SourceLanguage, imports: readonly string[]): SourceUnit => ({
  file: '',
  language,
  package: '',
  imports,
  bindings: new Map(),
  exports: new Map(),
  types: [],
  functions: [],
  topLevel: NO_METHOD,
})

const isNamed = ({ name }: Framework, library: KnownLibrary): boolean =>
  name
    .toLowerCase()
    .split(/, | and /)
    .includes(library.name.toLowerCase())

/** The detectors of a library: those of its name, and those that its import alone makes apply to a file. */
const detectorsOf = (library: KnownLibrary, module: string): readonly Framework[] =>
  FRAMEWORKS.filter(
    (one) =>
      one.language === library.language &&
      (isNamed(one, library) ||
        (one.applies(importing(library.language, [module])) &&
          !one.applies(importing(library.language, [])))),
  )

/** Uses of libraries, by name and language. */
class UseCounter {
  readonly #uses = new Map<string, LibraryUse>()

  add({ name, language }: Pick<LibraryUse, 'name' | 'language'>, files: readonly string[]): void {
    const key = `${name}\0${language}`
    const { files: before = 0, example = files[0] ?? '' } = this.#uses.get(key) ?? {}
    this.#uses.set(key, { name, language, files: before + files.length, example })
  }

  ordered(): readonly LibraryUse[] {
    return [...this.#uses.values()].sort((a, b) => b.files - a.files || inOrder(a.name, b.name))
  }
}

/** The web and data libraries that files use. `found`: the frameworks that have shown something, with their files. */
export const usedLibraries = (
  units: readonly SourceUnit[],
  found: ReadonlyMap<Framework, ReadonlySet<string>>,
): LibraryUses => {
  const [recognized, unrecognized] = [new UseCounter(), new UseCounter()]
  const named = new Set<Framework>()
  const cache = new Map<string, ReadonlyMap<KnownLibrary, boolean>>()
  const librariesOf = (language: SourceLanguage, module: string) => {
    const key = `${language}\0${module}`
    const known = cache.get(key)
    if (known !== undefined) return known
    const fitting = new Map<KnownLibrary, boolean>()
    for (const library of KNOWN_LIBRARIES) {
      if (library.language !== language || !library.imports.test(module)) continue
      const detectors = detectorsOf(library, module)
      for (const one of detectors) named.add(one)
      fitting.set(library, library.detected === true || detectors.length > 0)
    }
    cache.set(key, fitting)
    return fitting
  }
  for (const { file, language, imports } of units) {
    const own = new Map(imports.flatMap((module) => [...librariesOf(language, module)]))
    for (const [library, detected] of own) (detected ? recognized : unrecognized).add(library, [file])
  }
  // Without an import of its own: `fetch`, or decorators that a package of the project exports.
  for (const [framework, files] of found) if (!named.has(framework)) recognized.add(framework, [...files])
  return { recognized: recognized.ordered(), unrecognized: unrecognized.ordered() }
}

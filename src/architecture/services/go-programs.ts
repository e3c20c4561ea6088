import { pushTo } from '../../kernel/multimap.ts'
import { isImportOf } from '../source/module-files.ts'
import { folderOf, nameOf } from '../source/source-files.ts'
import type { SourceUnit } from '../source/source-unit.ts'
import type { ServiceDraft, ServiceKind } from './service-draft.ts'
import { isInFolder } from './service-draft.ts'

/** Programs of Go: a package `main`, and the packages of the project that it imports. */

/** Calls that make a server or a listener. */
const SERVES = /^(ListenAndServe(TLS)?|Listen|NewServer|NewServeMux|NewRouter|NewConsumerGroup|ReaderConfig)$/
const FRAMEWORK = /gin-gonic\/gin$|labstack\/echo|gofiber\/fiber|go-chi\/chi|gorilla\/mux$/
/** Folders of programs for the developers of a project. */
const TOOL = /(^|\/)(hack|tools?|scripts?|docs?|contrib|testing|_?examples?)\//
/** Folders that hold programs and are not one themselves. */
const HOLDS_PROGRAMS = /^(cmd|internal|pkg|tools?|apps?|services?)$/

interface GoProgram {
  readonly folder: string
  readonly file: string
  readonly line: number
  /** Folders of the packages that are part of it, its own included. */
  readonly packages: ReadonlySet<string>
  readonly kind: ServiceKind
}

const isMain = ({ name }: { readonly name: string }): boolean => name === 'main'

/** The packages of a project by their folders. */
class GoPackages {
  readonly #units = new Map<string, SourceUnit[]>()
  /** Folders by their last segment. */
  readonly #folders = new Map<string, string[]>()
  readonly #programs = new Set<string>()

  constructor(units: readonly SourceUnit[]) {
    for (const unit of units) {
      // A program cannot be imported.
      if (unit.functions.some(isMain)) this.#programs.add(unit.package)
      if (!this.#units.has(unit.package)) pushTo(this.#folders, nameOf(unit.package), unit.package)
      pushTo(this.#units, unit.package, unit)
    }
  }

  unitsOf(folder: string): readonly SourceUnit[] {
    return this.#units.get(folder) ?? []
  }

  /** The folder of an imported package; the one of the same module when several fit. */
  #folderOf(module: string, from: string): string | undefined {
    return (this.#folders.get(nameOf(module)) ?? [])
      .filter((folder) => !this.#programs.has(folder) && isImportOf(module, folder, from))
      .sort((a, b) => b.length - a.length)[0]
  }

  /** A package and all that it imports, directly or not. */
  closure(folder: string): ReadonlySet<string> {
    const found = new Set([folder])
    for (const at of found)
      for (const { imports } of this.unitsOf(at))
        for (const module of imports) {
          const next = this.#folderOf(module, at)
          if (next !== undefined) found.add(next)
        }
    return found
  }
}

const serves = (unit: SourceUnit): boolean =>
  unit.functions.some(({ calls }) =>
    calls.some(
      ({ name, receiver }) =>
        SERVES.test(name) ||
        (/^(New|Default)$/.test(name) &&
          receiver?.kind === 'name' &&
          FRAMEWORK.test(unit.bindings.get(receiver.name)?.module.replace(/\/v\d+$/, '') ?? '')),
    ),
  )

const programsOf = (units: readonly SourceUnit[]): readonly GoProgram[] => {
  const go = units.filter(({ language }) => language === 'go')
  const packages = new GoPackages(go)
  const mains = go.flatMap((unit) => {
    const main = unit.functions.find(isMain)
    return main === undefined ? [] : [{ unit, line: main.line }]
  })
  const found = mains.map(({ unit, line }): GoProgram => {
    const parts = packages.closure(unit.package)
    const isService = [...parts].some((folder) => packages.unitsOf(folder).some(serves))
    return {
      folder: unit.package,
      file: unit.file,
      line,
      packages: parts,
      kind: isService ? 'service' : 'command',
    }
  })
  const own = found.filter(({ file, kind }) => !isTool(file, kind))
  return own.length === 0 ? found : own
}

const isTool = (file: string, kind: ServiceKind): boolean =>
  TOOL.test(file) || (kind === 'command' && /(^|\/)internal\//.test(file))

/**
 * The folder that a program stands for: that of its module, when it is the only service in it, otherwise the highest
 * one without another program.
 */
const goProgramFolder = (program: GoProgram, root: string, peers: readonly GoProgram[]): string => {
  const services = peers.filter(({ kind }) => kind === 'service')
  if (peers.length === 1 || (services.length === 1 && services[0] === program)) return root
  let at = program.folder
  for (let up = folderOf(at); up !== root && isInFolder(up, root) && up !== at; up = folderOf(up)) {
    if (HOLDS_PROGRAMS.test(nameOf(up)) || peers.some((one) => one !== program && isInFolder(one.folder, up)))
      break
    at = up
  }
  return at
}

/** `moduleOf`: the folder of the Go module or the image that a file belongs to. */
export const goDrafts = (
  units: readonly SourceUnit[],
  moduleOf: (file: string) => string,
): readonly ServiceDraft[] => {
  const programs = programsOf(units)
  const byModule = new Map<string, GoProgram[]>()
  for (const one of programs) pushTo(byModule, moduleOf(one.file), one)
  return [...byModule].flatMap(([root, peers]) =>
    peers.map((program) => {
      const folder = goProgramFolder(program, root, peers)
      return {
        folder,
        kind: program.kind,
        evidence: { file: program.file, line: program.line, reason: 'package main' },
        // Those below its folder are named when other programs may use them too.
        libraries: [...program.packages].filter(
          (one) =>
            one !== '' &&
            one !== program.folder &&
            ((folder === root && peers.length > 1) || !isInFolder(one, folder)),
        ),
        ...(nameOf(program.folder) !== '' && !/^(cmd|main|server)$/.test(nameOf(program.folder))
          ? { aliases: [nameOf(program.folder)] }
          : {}),
      }
    }),
  )
}

import { isRecord } from '../../kernel/encoding/json.ts'
import { folderOf, joinPath, nameOf } from '../source/source-files.ts'
import type { SourceUnit } from '../source/source-unit.ts'
import { isInFolder, type ServiceDraft, type ServiceKind } from './service-draft.ts'

/** Packages of a JavaScript workspace that use each other. */

const MAX_PACKAGES = 2_000

interface WorkspacePackage {
  readonly folder: string
  readonly name: string
  readonly dependencies: readonly string[]
}

const packageOf = (path: string, text: string | undefined): readonly WorkspacePackage[] => {
  const { name, dependencies } = parsePackageJson(text) ?? {}
  return typeof name === 'string'
    ? [{ folder: folderOf(path), name, dependencies: Object.keys(dependencies ?? {}) }]
    : []
}

/** `@shop/lib/money` is a module of the package `@shop/lib`. */
const packageName = (module: string): string =>
  module
    .split('/')
    .slice(0, module.startsWith('@') ? 2 : 1)
    .join('/')

/** For each package the folders of those that it depends on, or imports if it declares none. */
export const packageUses = (
  paths: readonly string[],
  read: (path: string) => string | undefined,
  units: readonly SourceUnit[],
): ReadonlyMap<string, readonly string[]> => {
  const packages = paths
    .filter((path) => nameOf(path) === 'package.json')
    .slice(0, MAX_PACKAGES)
    .flatMap((path) => packageOf(path, read(path)))
  if (packages.length < 2) return new Map()
  const folders = new Map(packages.map(({ name, folder }) => [name, folder]))
  const uses = new Map<string, Set<string>>(packages.map(({ folder }) => [folder, new Set()]))
  const use = (folder: string, name: string) => {
    const used = folders.get(name)
    // The package at the root is the workspace.
    if (used !== undefined && used !== '' && used !== folder) uses.get(folder)?.add(used)
  }
  for (const { folder, dependencies } of packages) for (const name of dependencies) use(folder, name)
  const declared = new Set([...uses].filter(([, used]) => used.size > 0).map(([folder]) => folder))
  for (const { file, language, imports } of units) {
    if (language !== 'script') continue
    let at = folderOf(file)
    while (at !== '' && !uses.has(at)) at = folderOf(at)
    if (declared.has(at)) continue
    for (const module of imports) use(at, packageName(module))
  }
  return new Map([...uses].map(([folder, used]) => [folder, [...used].sort()]))
}

/** What a package.json says about a deployable. */

interface PackageFile {
  readonly name?: unknown
  readonly private?: unknown
  readonly scripts?: Readonly<Record<string, unknown>>
  readonly bin?: unknown
  readonly dependencies?: Readonly<Record<string, unknown>>
}

const WEB = /^(next|nuxt|@angular\/core|vite|react-scripts|@sveltejs\/kit|@remix-run\/\w+|astro|gatsby|vue)$/
const SERVER =
  /^(express|fastify|koa|hono|@nestjs\/core|@hapi\/hapi|restify|@grpc\/grpc-js|apollo-server|@apollo\/server)$/
const MOBILE = /^(react-native|expo|@ionic\/\w+|nativescript)$/

/** Scripts that start packages of a workspace: the package with them is not started itself. */
const STARTS_OTHERS =
  /\b(turbo|nx|lerna)\b|\b(pnpm|yarn|npm)\b.*\s(-r|--recursive|--filter|-F|-w|--workspaces?|workspaces?)\b/

const parsePackageJson = (text: string | undefined): PackageFile | undefined => {
  try {
    const parsed: unknown = JSON.parse(text ?? '')
    return typeof parsed === 'object' && parsed !== null ? parsed : undefined
  } catch {
    return undefined
  }
}

/** `turbo run start --filter=@shop/web`, `yarn workspace @shop/web start`. */
const STARTED = /(?:\bworkspace\s+|--(?:filter|scope|workspace)[= ]|\s-[Fw]\s+)["']?(?:@[\w-]+\/)?([\w.-]+)/

/** The deployable that the start script of a workspace starts. */
export const startedFolder = (
  text: string | undefined,
  drafts: readonly ServiceDraft[],
): string | undefined => {
  const [, name] = STARTED.exec(String(parsePackageJson(text)?.scripts?.start ?? '')) ?? []
  const found = drafts.filter(
    ({ folder, aliases = [] }) => folder !== '' && name !== undefined && aliases.includes(name),
  )
  const [only, ...others] = new Set(found.map(({ folder }) => folder))
  return others.length === 0 ? only : undefined
}

/** `isUsed`: whether other packages of the workspace use it. */
export const packageDraft = (
  path: string,
  text: string | undefined,
  isUsed: boolean,
): readonly ServiceDraft[] => {
  const parsed = parsePackageJson(text)
  if (parsed === undefined) return []
  const dependencies = Object.keys(parsed.dependencies ?? {})
  const scripts = Object.keys(parsed.scripts ?? {})
  const has = (pattern: RegExp) => dependencies.find((name) => pattern.test(name))
  const starts = scripts.some(
    (name) =>
      (isUsed ? /^start(:|$)/ : /^(start|serve|dev)(:|$)/).test(name) &&
      !STARTS_OTHERS.test(String(parsed.scripts?.[name])),
  )
  const found = has(MOBILE) ?? has(SERVER) ?? has(WEB)
  // A library has these frameworks only to be used with them: it does not start.
  if (found === undefined || !starts) return []
  const kind: ServiceKind = has(MOBILE) ? 'mobile application' : has(SERVER) ? 'service' : 'web application'
  const name = typeof parsed.name === 'string' ? parsed.name.replace(/^@[^/]+\//, '') : undefined
  return [
    {
      folder: folderOf(path),
      kind,
      evidence: { file: path, line: 1, reason: `start script, uses ${found}` },
      ...(name !== undefined && { aliases: [name] }),
    },
  ]
}

/** A folder and the name that imports of it end in: `@app/kafka`. */
interface NestProject {
  readonly name: string
  readonly root: string
  readonly isApplication: boolean
}

const nestProjects = (path: string, text: string | undefined): readonly NestProject[] => {
  let parsed: { readonly projects?: Readonly<Record<string, unknown>> } | null
  try {
    parsed = JSON.parse(text ?? '')
  } catch {
    return []
  }
  return Object.entries(parsed?.projects ?? {}).flatMap(([name, value]) => {
    const { type, root } = isRecord(value) ? value : {}
    return typeof root === 'string' && root !== '' && (type === 'application' || type === 'library')
      ? [{ name, root: joinPath(folderOf(path), root), isApplication: type === 'application' }]
      : []
  })
}

const libraryName = (module: string): string | undefined => /^@[\w-]+\/([\w-]+)/.exec(module)?.[1]

/** The applications of a workspace of Nest (`nest-cli.json`) with the libraries that they import. */
export const nestDrafts = (
  path: string,
  text: string | undefined,
  units: readonly SourceUnit[],
): readonly ServiceDraft[] => {
  const projects = nestProjects(path, text).filter(({ root }) =>
    units.some(({ file }) => isInFolder(file, root)),
  )
  const used = ({ root }: NestProject): readonly NestProject[] => {
    const names = new Set(
      units.flatMap(({ file, imports }) => (isInFolder(file, root) ? imports.map(libraryName) : [])),
    )
    return projects.filter(({ name, isApplication }) => !isApplication && names.has(name))
  }
  return projects
    .filter(({ isApplication }) => isApplication)
    .map((application) => {
      const libraries = new Set(used(application))
      for (const library of libraries) for (const one of used(library)) libraries.add(one)
      return {
        folder: application.root,
        name: application.name,
        kind: 'service' as const,
        evidence: { file: path, line: 1, reason: 'application of a Nest workspace' },
        libraries: [...libraries].map(({ root }) => root),
      }
    })
}

import { joinRoutes } from '../../connections/addresses.ts'
import type { Inbound } from '../../connections/connections.ts'
import type { Framework } from '../../connections/framework.ts'
import { toInbound } from '../../connections/inbound-web.ts'
import { folderOf } from '../../source/source-files.ts'
import type { SourceIndex } from '../../source/source-index.ts'
import { findAnnotation, type SourceUnit } from '../../source/source-unit.ts'
import type { TypeScope } from '../../source/type-scope.ts'

/** Next.js: the path of a route is the path of its file. */

const VERBS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']
const ROUTE_FILE = /(^|\/)app\/(.*\/)?route\.[jt]sx?$/
const API_FILE = /(^|\/)pages\/api\/.*\.[jt]sx?$/
const SERVER_ACTION = 'use server'

const NEXT_FOLDERS = new WeakMap<SourceIndex, ReadonlySet<string>>()

/** Folders with a file below them that imports Next.js. */
const nextFolders = (index: SourceIndex): ReadonlySet<string> => {
  const known = NEXT_FOLDERS.get(index)
  if (known !== undefined) return known
  const found = new Set<string>()
  for (const { file, imports } of index.units)
    if (imports.some((name) => /^next(\/|$)/.test(name)))
      for (let at = folderOf(file); !found.has(at); at = folderOf(at)) found.add(at)
  NEXT_FOLDERS.set(index, found)
  return found
}

/** The part of a path below the folder `root` of a Next.js application: `web/src/app/a/route.ts` gives `a/route.ts`. */
const below = (root: string, { unit, index }: TypeScope): string | undefined => {
  const steps = unit.file.split('/')
  const at = steps.findIndex((step, position) => {
    const base = steps.slice(0, position)
    if (base.at(-1) === 'src') base.pop()
    return step === root && nextFolders(index).has(base.join('/'))
  })
  return at < 0 ? undefined : steps.slice(at + 1).join('/')
}

/** The path of a route; undefined for folders that are not routed. Groups and slots are no part of it. */
const routePath = (path: string): string | undefined => {
  const steps = path.split('/')
  if (steps.some((step) => step.startsWith('_'))) return undefined
  return joinRoutes(...steps.filter((step) => !/^\(.*\)$|^@/.test(step)))
}

const lineOf = (name: string, { functions, topLevel }: SourceUnit): number =>
  [...functions, ...topLevel.locals].find((one) => one.name === name)?.line ?? 1

/** `app/users/route.ts` with exported functions `GET`, `POST`, …. */
const routeHandlers = (scope: TypeScope): readonly Inbound[] => {
  const { unit } = scope
  if (!ROUTE_FILE.test(unit.file)) return []
  const path = below('app', scope)
  const route = path === undefined ? undefined : routePath(folderOf(path))
  if (route === undefined) return []
  return VERBS.flatMap((verb) => {
    const local = unit.exports.get(verb)
    if (local === undefined) return []
    const name = typeof local === 'string' ? local : verb
    return [
      toInbound(
        { method: verb, path: route, confidence: 'high' },
        { file: unit.file, line: lineOf(name, unit), handler: name },
      ),
    ]
  })
}

/** `pages/api/users/[id].ts` with a default export, which answers every method. */
const apiRoute = (scope: TypeScope): readonly Inbound[] => {
  const { unit } = scope
  const handler = unit.exports.get('default')
  if (!API_FILE.test(unit.file) || handler === undefined) return []
  const path = below('pages', scope)
    ?.replace(/\.\w+$/, '')
    .replace(/(^|\/)index$/, '')
  const route = path?.startsWith('api') ? routePath(path) : undefined
  if (route === undefined) return []
  const name = typeof handler === 'string' ? handler : 'default'
  return [
    toInbound(
      { method: 'ANY', path: route, confidence: 'high' },
      { file: unit.file, line: lineOf(name, unit), handler: name === 'default' ? '' : name },
    ),
  ]
}

/** Exported functions with `'use server'`: forms and components of the browser call them. */
const serverActions = ({ unit, index }: TypeScope): readonly Inbound[] => {
  const exported = new Set([...unit.exports.values()].filter((one) => typeof one === 'string'))
  return unit.functions
    .filter(({ name, annotations }) => exported.has(name) && findAnnotation(annotations, SERVER_ACTION))
    .filter(() => nextFolders(index).size > 0)
    .map(({ name, line }) => ({
      protocol: 'Server Action',
      endpoint: name,
      source_file: unit.file,
      line,
      handler: name,
      confidence: 'high' as const,
    }))
}

export const NEXT: Framework = {
  name: 'Next.js',
  language: 'script',
  applies: ({ file, functions }) =>
    ROUTE_FILE.test(file) ||
    API_FILE.test(file) ||
    functions.some(({ annotations }) => findAnnotation(annotations, SERVER_ACTION) !== undefined),
  inbound: (scope) => [...routeHandlers(scope), ...apiRoute(scope), ...serverActions(scope)],
}

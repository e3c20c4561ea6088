import type { DetectionContext } from '../../connections/framework.ts'
import type { RouterKey } from '../../connections/router-graph.ts'
import { isLeftOut } from '../../source/module-files.ts'
import { type CallExpression, callIn, simpleName } from '../../source/source-unit.ts'
import type { TypeScope } from '../../source/type-scope.ts'

/** Libraries whose routes are decorators or calls on a router, and how their routers are made. */

/** Methods of a class-based view that answer a request. */
export const VIEW_METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options', 'trace']

/** What the calls of a library are named. */
export interface PythonLibrary {
  readonly name: string
  readonly modules: RegExp
  readonly factories: RegExp
  /** The arguments that give a router, or its mount, a prefix. */
  readonly prefixes: readonly string[]
  /** The calls that mount a router. */
  readonly mounts: RegExp
  /** Whether the prefix of a mount takes the place of the router's own. */
  readonly replaces: boolean
  /** The method of a route that names none. */
  readonly method: string
}

export const PYTHON_ROUTER_LIBRARIES: readonly PythonLibrary[] = [
  {
    name: 'FastAPI, Starlette',
    modules: /^(fastapi|starlette)(\.|$)/,
    factories: /^(FastAPI|APIRouter|Starlette|Router)$/,
    prefixes: ['prefix', 'root_path'],
    mounts: /^(include_router|mount)$/,
    replaces: false,
    method: 'ANY',
  },
  {
    name: 'Flask, Quart, Sanic',
    modules: /^(flask|flask_\w+|quart|sanic)(\.|$)/,
    factories: /^(Flask|Blueprint|Quart|Sanic|Namespace|Api)$/,
    prefixes: ['url_prefix', 'path', 'prefix'],
    mounts: /^(register_blueprint|blueprint|add_namespace)$/,
    replaces: true,
    method: 'GET',
  },
  {
    name: 'aiohttp',
    modules: /^aiohttp(\.|$)/,
    factories: /^(Application|RouteTableDef)$/,
    prefixes: ['prefix'],
    mounts: /^(add_subapp|add_routes)$/,
    replaces: false,
    method: 'GET',
  },
]

/** The router that a name such as `router` or `users.router` refers to. */
export const pythonRouter = (name: string, scope: TypeScope, { modules }: DetectionContext): RouterKey => {
  const [head = '', ...members] = name.split('.')
  const declared = modules.declaration(head, scope.unit)
  const member = members.at(-1)
  // `app.api.users.router`: an import of a module inside a package.
  const inner =
    members.length > 1
      ? modules.exported({ module: name.slice(0, name.lastIndexOf('.')), name: '*' }, scope.unit)
      : undefined
  const unit = inner?.unit ?? declared.unit
  return { file: unit.file, name: member ?? declared.name }
}

const MAX_BASES = 4

/** A class of the library, or one of the project that extends it. */
export const isRouterFactory = (
  library: PythonLibrary,
  name: string,
  scope: TypeScope,
  depth = 0,
): boolean => {
  if (library.factories.test(name)) return true
  if (depth > MAX_BASES || !/^[A-Z]/.test(name)) return false
  const type = scope.index.find(name, scope.unit)?.type
  return (
    type !== undefined &&
    [type.extends, ...type.implements].some(
      (base) => base !== undefined && isRouterFactory(library, simpleName(base), scope, depth + 1),
    )
  )
}

export const routerCreation = (
  library: PythonLibrary,
  name: string,
  scope: TypeScope,
): CallExpression | undefined => {
  const values = scope.variables(name).map(({ value }) => value)
  const found = values.find(
    (value) => value?.kind === 'call' && isRouterFactory(library, value.call.name, scope),
  )
  return callIn(found)
}

/** A router, which an application has to mount, in a file that nothing imports. */
export const isUnusedRouter = (router: string, scope: TypeScope): boolean => {
  const isMade = scope.unit.topLevel.locals.some(
    ({ name, value }) =>
      name === router && value?.kind === 'call' && /^(APIRouter|Blueprint)$/.test(value.call.name),
  )
  return isMade && isLeftOut(scope.unit, scope.index)
}

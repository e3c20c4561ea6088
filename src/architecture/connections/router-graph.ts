import { pushTo } from '../../kernel/multimap.ts'
import { weaker } from '../source/text-resolver.ts'
import { joinRoutes } from './addresses.ts'
import type { Inbound } from './framework.ts'
import { type EndpointRoute, toInbound } from './inbound-web.ts'

/** A router, application, blueprint or group that routes are declared on, by its file and its name there. */
export interface RouterKey {
  readonly file: string
  readonly name: string
}

interface DeclaredRoute {
  readonly router: RouterKey
  readonly route: EndpointRoute & Pick<EndpointPrefix, 'slash'>
  readonly file: string
  readonly line: number
  readonly handler: string
  /** Left out unless its router is mounted: only the mount shows that the object is a router. */
  readonly onlyMounted?: boolean
}

interface Mount {
  readonly parent: string
  readonly prefix: EndpointPrefix
  /** Whether the prefix takes the place of the one that the mounted router has. */
  readonly replaces: boolean
}

export type EndpointPrefix = Pick<EndpointRoute, 'path' | 'confidence'> & {
  /** Whether the slash at its end is part of the path: Django tells `/users/` and `/users` apart. */
  readonly slash?: boolean
}

/** Routers mounted on each other more often than this are a mistake of the analysis or an attack. */
const MAX_PREFIXES = 16
const MAX_DEPTH = 12

const keyText = ({ file, name }: RouterKey): string => `${file}\0${name}`

/** A value of the environment before the path brings its slash: `${BASE_URL}/cart`. */
const withOwnSlash = (path: string): string => path.replace(/^\/(\$\{\w+\})(?:\/|$)/, '$1/')

const isEmptyPath = (path: string): boolean => path === '' || path === '/'

const ROOT: EndpointPrefix = { path: '', confidence: 'high' }

/**
 * Routes of frameworks in which a router may be mounted by another file: the path of a route is known only after all
 * files have been read.
 */
export class RouterGraph {
  readonly #routes = new Map<string, DeclaredRoute[]>()
  readonly #mounts = new Map<string, Mount[]>()
  /** Prefixes that a router has of its own: `APIRouter(prefix="/users")`. */
  readonly #own = new Map<string, EndpointPrefix>()
  /** Number of routes and mounts. */
  declared = 0

  prefix(router: RouterKey, prefix: EndpointPrefix): void {
    this.#own.set(keyText(router), prefix)
  }

  mount(parent: RouterKey, child: RouterKey, prefix: EndpointPrefix, replaces = false): void {
    this.declared += 1
    pushTo(this.#mounts, keyText(child), { parent: keyText(parent), prefix, replaces })
  }

  route(route: DeclaredRoute): void {
    this.declared += 1
    pushTo(this.#routes, route.file, route)
  }

  /** The endpoints declared in a file. */
  endpoints(file: string): readonly Inbound[] {
    return (this.#routes.get(file) ?? []).flatMap(({ router, route, onlyMounted, ...place }) => {
      const { slash = false, ...own } = route
      const prefixes =
        onlyMounted === true && this.#mountsOf(keyText(router)).length === 0
          ? []
          : this.#prefixes(keyText(router), new Set())
      return prefixes.map((prefix) => {
        const path = withOwnSlash(joinRoutes(prefix.path, own.path))
        const endsOpen = isEmptyPath(own.path) ? prefix.slash === true : slash
        const confidence = weaker(prefix.confidence, own.confidence)
        return toInbound({ ...own, path: endsOpen && path !== '/' ? `${path}/` : path, confidence }, place)
      })
    })
  }

  /** All routers of a file (`*`) or of a function (`setup.*`) can be mounted at once. */
  #mountsOf(key: string): readonly Mount[] {
    const [file = '', name = ''] = key.split('\0')
    const dot = name.lastIndexOf('.')
    return (
      this.#mounts.get(key) ??
      (dot < 0 ? undefined : this.#mounts.get(`${file}\0${name.slice(0, dot)}.*`)) ??
      this.#mounts.get(`${file}\0*`) ??
      []
    )
  }

  #prefixes(key: string, above: ReadonlySet<string>): readonly EndpointPrefix[] {
    const own = this.#own.get(key) ?? ROOT
    const mounts = above.has(key) || above.size > MAX_DEPTH ? [] : this.#mountsOf(key)
    if (mounts.length === 0) return [own]
    const seen = new Set([...above, key])
    const found = mounts.flatMap(({ parent, prefix, replaces }) =>
      this.#prefixes(parent, seen).map((outer) => ({
        path: joinRoutes(outer.path, prefix.path, replaces ? '' : own.path),
        confidence: weaker(weaker(outer.confidence, prefix.confidence), own.confidence),
        slash: (isEmptyPath(prefix.path) ? outer.slash : prefix.slash) === true,
      })),
    )
    const distinct = new Map(found.map((one) => [one.path, one]))
    return [...distinct.values()].slice(0, MAX_PREFIXES)
  }
}

import { realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { isPathInside } from '../../kernel/text/path-inside.ts'
import { isLoopback } from '../../surfaces/http/guards.ts'

/** Which values are refused from a `warrant.json` that was found in the current folder: a repository may bring one. */

const REMEDY = 'name the file with --config, or set it by flag'

/** Settings that are paths to read and write. */
const PATHS = new Set(['root', 'stateDir', 'packetRoot', 'exportRoot', 'store', 'catalog'])
const DATABASE = /^postgres(ql)?:/

/** Values of path settings that are no paths. */
const isNoPath = (key: string, value: string): boolean =>
  (key === 'store' && value === 'memory') || (key === 'catalog' && value.startsWith('oci://'))

/** The path without symlinks, as far as it exists. */
const realPath = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(realPath(parent), basename(path))
  }
}

const leavesFolder = (cwd: string, key: string, value: unknown): boolean => {
  if (!PATHS.has(key) || typeof value !== 'string' || isNoPath(key, value)) return false
  const folder = realPath(cwd)
  return !isPathInside(folder, realPath(resolve(folder, value)))
}

const isAny = (value: unknown): boolean => Array.isArray(value) && value.length > 0

/** Settings that send data to other machines or accept requests from them, and the values that do. */
const EXPOSING: Readonly<Record<string, (value: unknown) => boolean>> = {
  // The embedding server gets queries, documents and the key.
  embeddingUrl: (value) => !isLoopback(new URL(String(value)).hostname),
  store: (value) => DATABASE.test(String(value)),
  host: (value) => !isLoopback(String(value)),
  allowedHosts: isAny,
  allowedOrigins: isAny,
  // These send passwords without TLS, or requests into private networks.
  plainRegistries: isAny,
  registries: isAny,
  // A repository that sets the token knows it; one that sets the issuer is sent every client without a token.
  token: () => true,
  issuer: () => true,
}

/** Why a valid value is refused from a found file; undefined when it is accepted. */
export const rejectUntrusted = (cwd: string, key: string, value: unknown): string | undefined => {
  if (leavesFolder(cwd, key, value)) return `leads out of the current folder; ${REMEDY}`
  return EXPOSING[key]?.(value)
    ? `lets data out or requests in, so a warrant.json found in the current folder must not set it; ${REMEDY}`
    : undefined
}

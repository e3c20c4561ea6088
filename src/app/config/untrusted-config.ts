import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { isBelow } from '../../platform/files/no-symlinks.ts'
import { isLoopback } from '../../surfaces/http/guards.ts'

/** What a file of settings that merely lies in the current folder may not say. It may have come with a repository. */

const REMEDY = 'name the file with --config, or set it by flag'

/** Settings that say where we read and write. */
const PLACES = new Set(['root', 'stateDir', 'packetRoot', 'exportRoot', 'store', 'catalog'])
const DATABASE = /^postgres(ql)?:/
const ADDRESS = /^(postgres(ql)?|oci):/

const realPlace = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

const leavesFolder = (cwd: string, key: string, value: unknown): boolean => {
  if (!PLACES.has(key) || typeof value !== 'string' || value === 'memory' || ADDRESS.test(value)) return false
  const folder = realPlace(cwd)
  const place = realPlace(resolve(folder, value))
  return place !== folder && !isBelow(folder, place)
}

const isAny = (value: unknown): boolean => Array.isArray(value) && value.length > 0

/** Settings that hand something to others, or let others in, and the values that do. */
const OPENINGS: Readonly<Record<string, (value: unknown) => boolean>> = {
  // Questions, documents and the key go there.
  embeddingUrl: (value) => !isLoopback(new URL(String(value)).hostname),
  store: (value) => DATABASE.test(String(value)),
  host: (value) => !isLoopback(String(value)),
  allowedHosts: isAny,
  allowedOrigins: isAny,
  // Passwords go without TLS, or requests to where only we can reach.
  plainRegistries: isAny,
  registries: isAny,
  // Whoever chose the token has it, and whoever is the issuer hears from everybody who has none.
  token: () => true,
  issuer: () => true,
}

/** Why a value that was refused by nobody else is not taken from such a file; undefined when it is. */
export const rejectUntrusted = (cwd: string, key: string, value: unknown): string | undefined => {
  if (leavesFolder(cwd, key, value)) return `leads out of the folder; ${REMEDY}`
  return OPENINGS[key]?.(value)
    ? `opens a way to or from other machines, which a file that lies here by chance may not; ${REMEDY}`
    : undefined
}

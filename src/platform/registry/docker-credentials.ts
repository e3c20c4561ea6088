import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isRecord } from '../../kernel/encoding/json.ts'
import { type Credentials, type FindCredentials, TOKEN } from './auth.ts'
import { registryFaults } from './faults.ts'

const MAX_FILE = 1024 * 1024
const HUB_KEY = 'https://index.docker.io/v1/'
const HELPER = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/
const HELPER_MS = 10_000
const HELPER_BYTES = 64 * 1024

const readEntry = (entry: unknown): Credentials | undefined => {
  if (!isRecord(entry)) return undefined
  const { auth, identitytoken, registrytoken } = entry
  if (typeof registrytoken === 'string' && TOKEN.test(registrytoken))
    return { kind: 'bearer', token: registrytoken }
  if (typeof identitytoken === 'string' && identitytoken !== '')
    return { kind: 'identity', token: identitytoken }
  const text = typeof auth === 'string' ? Buffer.from(auth, 'base64').toString('utf8') : ''
  const colon = text.indexOf(':')
  return colon <= 0
    ? undefined
    : { kind: 'password', user: text.slice(0, colon), password: text.slice(colon + 1).replace(/\0+$/, '') }
}

const loadFile = async (path: string): Promise<Record<string, unknown>> => {
  const bytes = await readFile(path).catch(() => undefined)
  if (bytes === undefined) return {}
  try {
    const value: unknown = bytes.length > MAX_FILE ? undefined : JSON.parse(bytes.toString('utf8'))
    if (isRecord(value)) return value
  } catch {
    // Falls through; the file may contain passwords, so nothing of it is quoted.
  }
  throw registryFaults.denied('the file with registry credentials cannot be read')
}

/** The value of the first of these keys in a table. */
const pick = (table: unknown, keys: readonly string[]): unknown => {
  const key = isRecord(table) ? keys.find((one) => Object.hasOwn(table, one)) : undefined
  return isRecord(table) && key !== undefined ? table[key] : undefined
}

/** Runs a Docker credential helper. A helper that is missing or fails gives no credentials. */
const askHelper = async (
  name: unknown,
  server: string,
  path: string,
  env: NodeJS.ProcessEnv,
): Promise<Credentials | undefined> => {
  if (typeof name !== 'string' || !HELPER.test(name)) return undefined
  const options = { cwd: dirname(path), env, ms: HELPER_MS, bytes: HELPER_BYTES, input: `${server}\n` }
  const { runProgram } = await import('../programs/program.ts')
  const done = await runProgram(`docker-credential-${name}`, ['get'], options)
  if (done?.exitCode !== 0 || done.cut !== undefined) return undefined
  try {
    const value: unknown = JSON.parse(done.stdout)
    const { Username: user, Secret: secret } = isRecord(value) ? value : {}
    if (typeof user !== 'string' || typeof secret !== 'string' || secret === '') return undefined
    return user === '<token>'
      ? { kind: 'identity', token: secret }
      : { kind: 'password', user, password: secret }
  } catch {
    return undefined
  }
}

/** Credentials of `docker login`: from its `config.json`, or from the helper it names. */
export const dockerCredentials =
  (path: string, env: NodeJS.ProcessEnv): FindCredentials =>
  async (host) => {
    const { auths, credHelpers, credsStore } = await loadFile(path)
    const isHub = host === 'registry-1.docker.io'
    const keys = [host, `https://${host}`, `http://${host}`, ...(isHub ? [HUB_KEY] : [])]
    const server = isHub ? HUB_KEY : host
    const own = pick(credHelpers, keys)
    if (own !== undefined) return askHelper(own, server, path, env)
    return readEntry(pick(auths, keys)) ?? (await askHelper(credsStore, server, path, env))
  }

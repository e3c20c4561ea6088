import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode, Fault } from '../../kernel/fault.ts'
import { packetFaults } from '../../packets/faults.ts'
import { OPEN_POLICY, type PacketPolicy } from '../../packets/trust/policy.ts'
import { readKey, type TrustedKey } from '../../packets/trust/simple-signing.ts'
import { readRegularFile } from '../jail/async.ts'
import { parseYaml } from '../system/safe-yaml.ts'
import { diskFaults } from './drafts.ts'
import { isTrustedRoot } from './sigstore.ts'

const FILE = 'policy.yml'
/** The file and keys where another tool keeps rules about registries. */
const OTHER_FILE = join('config', 'config.toml')
const OTHER_RULES = /^[ \t]*(?:allowlist_domains|max_artifact_size_bytes|strict_verify|require_\w+)[ \t]*=/m
const MAX_BYTES = 256 * 1024
const MAX_ROOT = 1024 * 1024

const refuse = (why: string, cause?: unknown): never => {
  throw packetFaults.policy_file(`policy.yml cannot be used: ${why}`, { cause })
}

/**
 * Reads a file that the policy names. The policy may come from a repository: only regular files up to a limit
 * are read.
 */
const readNamed = async (root: string, named: string): Promise<string> => {
  const bytes = await readRegularFile(await realpath(join(root, named)), MAX_ROOT)
  if (bytes === undefined) throw new Error('it is too large, or not a regular file')
  return bytes.toString('utf8')
}

const parse = async (text: string): Promise<unknown> => {
  const value = await parseYaml(text).catch((cause: unknown) => refuse('it is not YAML', cause))
  // An empty file is refused: it was meant to be a policy.
  return value ?? refuse('it is empty')
}

const loadKey = async (root: string, named: string): Promise<TrustedKey> => {
  const inline = named.includes('-----BEGIN')
  const pem = inline
    ? named
    : await readNamed(root, named).catch((cause: unknown) => refuse(`the key ${named} cannot be read`, cause))
  const key = readKey(pem) ?? refuse(`${inline ? 'a key in it' : named} is not a PEM public key`)
  return { name: inline ? 'inline' : named, key }
}

const loadRoot = async (root: string, named: string): Promise<unknown> => {
  const text = await readNamed(root, named).catch((cause: unknown) =>
    refuse(`the trusted root ${named} cannot be read`, cause),
  )
  try {
    const value: unknown = JSON.parse(text)
    if (isTrustedRoot(value)) return value
  } catch {
    // Falls through to the refusal.
  }
  return refuse(`${named} is not a sigstore trusted root`)
}

/** The open policy, with a warning when another tool's file has rules that are not applied. */
const openPolicy = async (root: string): Promise<PacketPolicy> => {
  const bytes = await readRegularFile(join(root, OTHER_FILE), MAX_BYTES).catch(() => undefined)
  return OTHER_RULES.test(bytes?.toString('utf8') ?? '')
    ? {
        ...OPEN_POLICY,
        unread: 'config/config.toml has registry rules that are not applied: move them to policy.yml',
      }
    : OPEN_POLICY
}

/** Reads the policy of a packet folder on every call, so that a change applies at once. */
export const packetPolicy = (root: string) => async (): Promise<PacketPolicy> => {
  let text: string
  try {
    const bytes = await readRegularFile(join(root, FILE), MAX_BYTES)
    text = bytes?.toString('utf8') ?? refuse('it is too large, or not a regular file')
  } catch (cause) {
    if (cause instanceof Fault) throw cause
    const code = errorCode(cause)
    if (code === 'ENOTDIR') throw diskFaults.failed('the packet folder is not a folder', { cause })
    // Only an absent file means "no policy"; an unreadable one is refused.
    return code === 'ENOENT' ? openPolicy(root) : refuse('it cannot be read', cause)
  }
  // Loaded lazily: most installations have no policy.
  const { checkDemands, checkSources, PolicyFile } = await import('../../packets/trust/policy-file.ts')
  const parsed = PolicyFile.safeParse(await parse(text))
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    return refuse(`${issue?.path.join('.') || 'it'}: ${issue?.message ?? 'not valid'}`)
  }
  const { keys: names, trusted_root: rootFile, ...rest } = parsed.data
  const loose = checkSources(rest.allowed_sources ?? [])
  if (loose !== undefined) refuse(`the source ${loose} may have * only at its end, after the host`)
  const unmeant = checkDemands(parsed.data)
  if (unmeant !== undefined) refuse(unmeant)
  const keys = await Promise.all(names.map((name) => loadKey(root, name)))
  return { ...rest, keys, ...(rootFile !== undefined && { root: await loadRoot(root, rootFile) }) }
}

import type { Digest } from '../../kernel/encoding/digest.ts'
import { optional } from '../../kernel/optional.ts'
import { packetFaults } from '../faults.ts'

/** The address of an artifact: host, repository, and tag or digest. */
export interface Reference {
  /** Host in lower case, with its port if any. */
  readonly host: string
  readonly repository: string
  readonly tag?: string
  readonly digest?: Digest
}

const SCHEME = 'oci://'
const MAX_LENGTH = 1024
const MAX_REPOSITORY = 255
const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const HOST = new RegExp(`^(?:${LABEL}(?:\\.${LABEL})*|\\[[0-9a-f:.]{2,45}\\])(?::([0-9]{1,5}))?$`)
const COMPONENT = '[a-z0-9]+(?:(?:\\.|_{1,2}|-+)[a-z0-9]+)*'
const REPOSITORY = new RegExp(`^${COMPONENT}(?:/${COMPONENT})*$`)
const TAG = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/
const DIGEST = /^sha256:[0-9a-f]{64}$/

const shown = (text: string): string => JSON.stringify(text.slice(0, 120))

/** The text before `@` may be a password: it is masked, because messages go into logs. */
const LOGIN = /^(oci:\/\/)?.*@(?=[^@]*\/)/s

const refuse = (text: string, why: string): never => {
  throw packetFaults.reference(`${shown(text.replace(LOGIN, '$1***@'))} is not a reference: ${why}`)
}

const isDigest = (text: string): boolean => DIGEST.test(text)

/** The tag of a version. Tags cannot contain `+`, so it is written as `_`. */
export const versionTag = (version: string, role = 'version'): string => {
  const tag = version.replaceAll('+', '_')
  if (!TAG.test(tag)) throw packetFaults.version(`${shown(version)} cannot be a ${role}`)
  return tag
}

/** Checks a packet name: one or more segments of a repository path. */
export const checkPacketName = (name: string): string => {
  if (name.length > MAX_REPOSITORY || !REPOSITORY.test(name))
    throw packetFaults.name(`${shown(name)} cannot be a packet's name`)
  return name
}

const checkHost = (text: string, host: string): string => {
  if (host.includes('@'))
    return refuse(text, 'it must not contain a user name or password; use `docker login`')
  const found = HOST.exec(host)
  if (found === null || host.length > 260) return refuse(text, 'the host is not a host name')
  const port = found[1]
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535))
    return refuse(text, 'the port is not a port')
  // 0x7f.1 and 2130706433 are spellings of an IP address that programs read differently: only the canonical one
  // is accepted.
  const name = host.replace(/:[0-9]+$/, '')
  const url = `https://${name}/`
  if (!URL.canParse(url) || new URL(url).hostname !== name) return refuse(text, 'the host is not a host name')
  return host
}

/** Splits the tag off the last path segment; a colon further left belongs to a port. */
const cutTag = (path: string): readonly [string, string | undefined] => {
  const colon = path.indexOf(':', path.lastIndexOf('/') + 1)
  return colon === -1 ? [path, undefined] : [path.slice(0, colon), path.slice(colon + 1)]
}

/** What follows `@`: a digest, or a version that becomes a tag. */
const readPin = (text: string, pin: string | undefined): Pick<Reference, 'tag' | 'digest'> => {
  if (pin === undefined) return {}
  if (isDigest(pin)) return { digest: pin }
  if (pin === '' || pin.includes(':'))
    return refuse(text, 'after @ comes sha256: and 64 digits, or a version')
  return { tag: versionTag(pin) }
}

/** Reads `[oci://]host[:port]/path[:tag][@sha256:…]` or `…/path@version`. Without any of them the tag is `latest`. */
export const parseReference = (text: string): Reference => {
  if (text.length > MAX_LENGTH) return refuse(text, 'it is too long')
  const bare = (text.startsWith(SCHEME) ? text.slice(SCHEME.length) : text).replace(/^\/+|\/+$/g, '')
  if (bare.includes('://')) return refuse(text, 'the only supported scheme is oci://')
  const slash = bare.indexOf('/')
  if (slash === -1) return refuse(text, 'a host and a path are needed')
  const host = checkHost(text, bare.slice(0, slash).toLowerCase())
  const [left = '', pin, ...more] = bare.slice(slash + 1).split('@')
  if (more.length > 0) return refuse(text, 'it has more than one @')
  const [repository, tag] = cutTag(left)
  if (repository.length > MAX_REPOSITORY || !REPOSITORY.test(repository))
    return refuse(text, 'the path may contain only lower-case letters, digits and single . _ - between them')
  if (tag !== undefined && !TAG.test(tag)) return refuse(text, 'the tag is not a tag')
  const pinned = readPin(text, pin)
  if (tag !== undefined && pinned.tag !== undefined) return refuse(text, 'it names a tag and a version')
  return {
    host,
    repository,
    ...optional({ tag }),
    ...pinned,
    ...(tag === undefined && pin === undefined && { tag: 'latest' }),
  }
}

/** The reference without `oci://`, as registry tools write it. */
export const writeReference = ({ host, repository, tag, digest }: Reference): string =>
  `${host}/${repository}${tag === undefined ? '' : `:${tag}`}${digest === undefined ? '' : `@${digest}`}`

/** The immutable address of a manifest. */
export const pinnedUri = ({ host, repository }: Reference, digest: Digest): string =>
  `${SCHEME}${host}/${repository}@${digest}`

interface SourceRequest {
  readonly ref?: string | undefined
  readonly name?: string | undefined
  readonly version?: string | undefined
  readonly alias?: string | undefined
  readonly registry?: string | undefined
}

/** The `oci://` address of a request; undefined when it has no registry or no packet. */
export const sourceUri = ({ ref, name, version, alias, registry }: SourceRequest): string | undefined => {
  if (ref?.startsWith(SCHEME)) return ref
  const place = (registry ?? '').replace(/^(?:oci:\/\/)+/, '').replace(/\/+$/, '')
  if (place === '') return undefined
  if (ref) return `${SCHEME}${place}/${ref.replace(/^\/+/, '')}`
  if (!name) return undefined
  return `${SCHEME}${place}/${name}:${version ? versionTag(version) : alias || 'latest'}`
}

/** A file name for an address: other characters than letters, digits, dash, dot and underscore become `_`. */
export const safeName = (text: string): string => text.replace(/[^\p{L}\p{N}._-]/gu, '_')

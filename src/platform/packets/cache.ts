import { join } from 'node:path'
import { canonicalJson } from '../../kernel/encoding/canonical.ts'
import { digestBytes } from '../../kernel/encoding/hash.ts'
import { isRecord } from '../../kernel/encoding/json.ts'
import type { Clock } from '../../kernel/ports.ts'
import { readMetadata } from '../../packets/format/metadata.ts'
import { type Reference, safeName, writeReference } from '../../packets/format/reference.ts'
import type { KnownMetadata, MetadataCache } from '../../packets/ports.ts'
import type { ResolutionMemory } from '../../packets/resolutions.ts'
import type { TrustCache } from '../../packets/trust/policy-guard.ts'
import { hideFolder } from '../files/state-folder.ts'
import { userRecord } from '../files/user-state.ts'
import { readRegularFile } from '../jail/async.ts'
import { replaceStoreFile } from './drafts.ts'

const ALIAS_SECONDS = 180
const MAX_NAME = 200
const MAX_KEPT = 16 * 1024 * 1024
const DIGEST = /^sha256:[0-9a-f]{64}$/

const readObject = async (path: string): Promise<Record<string, unknown> | undefined> => {
  try {
    const value: unknown = JSON.parse(String(await readRegularFile(path, MAX_KEPT)))
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The metadata of a stored packet: a fetched packet can be looked up offline. */
const storedMetadata = async (root: string, digest: string): Promise<KnownMetadata | undefined> => {
  try {
    const bytes = await readRegularFile(join(root, 'cas', safeName(digest), 'packet.manifest.json'), MAX_KEPT)
    if (bytes === undefined) return undefined
    return { metadata: readMetadata(bytes), metadataDigest: digestBytes(bytes) }
  } catch {
    return undefined
  }
}

/** The metadata cache, as files below `cache/`. Unreadable files count as absent. */
export const metadataCache = (root: string, clock: Clock): MetadataCache & TrustCache => {
  const metadataFile = (digest: string) => join(root, 'cache', 'metadata', `${safeName(digest)}.json`)
  const aliasFile = (uri: string) =>
    join(root, 'cache', 'metadata_alias', `${safeName(uri).slice(-MAX_NAME)}.json`)
  const trustFile = (digest: string) => join(root, 'cache', 'trust', `${safeName(digest)}.json`)
  // A cache that cannot be written costs requests; it must not fail the call.
  const keep = async (path: string, value: unknown): Promise<void> => {
    try {
      await hideFolder(root)
      await replaceStoreFile(path, Buffer.from(canonicalJson(value)), { durable: true })
    } catch {}
  }
  return {
    trust: async (digest, scope) => {
      const found = await readObject(trustFile(digest))
      if (found?.scope !== scope) return undefined
      const { Trust } = await import('../../packets/trust/trust.ts')
      return Trust.safeParse(found.trust).data
    },
    keepTrust: (digest, scope, trust) => keep(trustFile(digest), { scope, trust }),
    metadata: async (digest) => {
      const found = await readObject(metadataFile(digest))
      if (found === undefined) return storedMetadata(root, digest)
      const { _metadata_digest: metadataDigest, ...rest } = found
      try {
        const metadata = readMetadata(Buffer.from(JSON.stringify(rest)))
        return { metadata, metadataDigest: typeof metadataDigest === 'string' ? metadataDigest : '' }
      } catch {
        return undefined
      }
    },
    keepMetadata: async (digest, { metadata, metadataDigest }) => {
      await keep(metadataFile(digest), { ...metadata, _metadata_digest: metadataDigest })
      const place = join(root, 'meta', safeName(digest), 'packet.manifest.json')
      await keep(place, metadata)
    },
    alias: async (uri) => {
      const found = await readObject(aliasFile(uri))
      const { expires_at: expires, payload } = found ?? {}
      const leftMs = typeof expires === 'number' ? expires * 1000 - clock.now() : 0
      // An expiry further ahead than any that is written: the clock was set back, so the age is unknown.
      if (leftMs <= 0 || leftMs > ALIAS_SECONDS * 1000 || !isRecord(payload)) return undefined
      // Two addresses may map to one file name; the full address decides.
      const { source_uri: written, digests, warnings = [] } = payload
      const whole =
        Array.isArray(digests) && digests.length > 0 && digests.every((one) => DIGEST.test(String(one)))
      const texts = Array.isArray(warnings) ? warnings.map(String) : []
      return written === uri && whole ? { digests: digests.map(String), warnings: texts } : undefined
    },
    dropAlias: async (uri) => {
      const path = aliasFile(uri)
      // Overwritten with an empty object instead of removed; a packet folder is not created for this.
      if ((await readObject(path)) !== undefined) await keep(path, {})
    },
    keepAlias: (uri, { digests, warnings }) =>
      keep(aliasFile(uri), {
        expires_at: clock.now() / 1000 + ALIAS_SECONDS,
        payload: { source_uri: uri, digests, ...(warnings.length > 0 && { warnings }) },
      }),
  }
}

interface MemoryPlace {
  /** The folder of state of this user. */
  readonly state: () => string
  /** The packet folder that the resolutions are for: another one may not have the packet. */
  readonly folder: string
  readonly clock: Clock
  /** Whether nothing is remembered. */
  readonly readOnly: boolean
}

/** Resolutions, a file for each tag, in the state folder of the user. */
export const resolutionMemory = ({ state, folder, clock, readOnly }: MemoryPlace): ResolutionMemory => {
  const recordOf = (reference: string) =>
    userRecord(() => {
      const name = digestBytes(`${folder}\n${reference}`).slice('sha256:'.length, 39)
      return join(state(), 'packets', `${name}.json`)
    })
  // Of a digest it is remembered that this repository had it.
  const named = ({ host, repository, tag = 'latest', digest }: Reference) =>
    writeReference({ host, repository, ...(digest === undefined ? { tag } : { digest }) })
  return {
    last: async (ref) => {
      const reference = named(ref)
      const value = await recordOf(reference).read()
      if (!isRecord(value) || value.reference !== reference) return undefined
      const { digest, resolved_at: at } = value
      if (typeof digest !== 'string' || !DIGEST.test(digest)) return undefined
      if (typeof at !== 'number' || !Number.isSafeInteger(at)) return undefined
      // A clock that was set back gives no age.
      return { digest, at, ageMs: Math.max(0, clock.now() - at) }
    },
    keep: async (ref, digest) => {
      if (readOnly) return
      const reference = named(ref)
      await recordOf(reference).write({ reference, digest, resolved_at: Math.trunc(clock.now()) })
    },
  }
}

import { join } from 'node:path'
import { digestBytes } from '../../../kernel/encoding/hash.ts'
import { isRecord } from '../../../kernel/encoding/json.ts'
import type { Clock } from '../../../kernel/ports.ts'
import { type Reference, writeReference } from '../../../packets/format/reference.ts'
import type { ResolutionMemory } from '../../../packets/resolutions.ts'
import { userRecord } from '../../files/user-state.ts'

const DIGEST = /^sha256:[0-9a-f]{64}$/

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
      if (typeof digest !== 'string' || !DIGEST.test(digest) || !Number.isSafeInteger(at)) return undefined
      // A clock that was set back gives no age.
      return { digest, at: at as number, ageMs: Math.max(0, clock.now() - (at as number)) }
    },
    keep: async (ref, digest) => {
      if (readOnly) return
      const reference = named(ref)
      await recordOf(reference).write({ reference, digest, resolved_at: Math.trunc(clock.now()) })
    },
  }
}

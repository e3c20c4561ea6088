import type { Evidence } from '../../evidence/schema.ts'
import { isRecord } from '../../kernel/encoding/json.ts'
import { escapeInvisible } from '../../kernel/text/escape-text.ts'

/** Why nothing should rest on a packet any more. */
interface RevokedPacket {
  readonly reason: string
  readonly revoked_at: string
}

/** A passage of a knowledge packet that a change rests on: `packet://sha256:…/path#L1-L9`, and the digest of its text. */
export interface GateCitation {
  readonly uri: string
  readonly digest: string
  readonly revoked?: RevokedPacket
}

/** Most citations of one run: each is an input in its receipt. */
export const MAX_CITATIONS = 50

const PACKET = /^packet:\/\/(sha256:[0-9a-f]{64})\//

/** The passages that a run cited, as its evidence lists them. */
export const citedPackets = ({ snapshot: { citations } }: Evidence): readonly GateCitation[] =>
  (Array.isArray(citations) ? (citations as unknown[]) : []).flatMap((one) =>
    isRecord(one) && typeof one.uri === 'string' && typeof one.digest === 'string'
      ? [{ uri: one.uri, digest: one.digest }]
      : [],
  )

/** The digest of the cited packet. */
export const citedDigest = ({ uri }: Pick<GateCitation, 'uri'>): string | undefined => PACKET.exec(uri)?.[1]

/** What a reader of a verdict has to know about its citations. */
export const citationNotes = (citations: readonly GateCitation[]): string[] =>
  citations.flatMap(({ uri, revoked }) =>
    revoked === undefined
      ? []
      : [
          escapeInvisible(
            `It rests on ${uri}, and this packet was revoked (${revoked.revoked_at}): ${revoked.reason}`,
          ),
        ],
  )

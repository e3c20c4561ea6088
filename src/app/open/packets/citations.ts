import { resolve } from 'node:path'
import { citationNotes, citedDigest, type GateCitation } from '../../../gate/reports/citations.ts'
import { optional } from '../../../kernel/optional.ts'
import type { Clock } from '../../../kernel/ports.ts'
import type { ReceiptInput } from '../../../receipts/statement.ts'
import type { Config } from '../../config/settings.ts'

interface CitationContext {
  readonly config: Config
  readonly root: string
  readonly clock: Clock
  readonly environment: NodeJS.ProcessEnv
}

/** Verifies citations against the packets of a packet folder. Nothing is downloaded. */
export const verifyCitations = async (
  context: CitationContext,
  uris: readonly string[],
): Promise<readonly GateCitation[]> => {
  if (uris.length === 0) return []
  const { PacketService } = await import('../packets.ts')
  // Nothing is resolved, so there is nothing to record.
  const record = { clock: context.clock, log: { write: () => {} }, recorder: { record: () => undefined } }
  const service = new PacketService({ ...context, root: resolve(context.root), record })
  try {
    const packets = await service.open(undefined)
    const found: GateCitation[] = []
    for (const uri of [...new Set(uris)].sort()) found.push(await packets.cite(uri))
    return found
  } finally {
    await service.close()
  }
}

/** Notes about inputs of a verdict that are passages of a packet which was revoked since. */
export const revokedInputNotes = async (
  root: string,
  inputs: readonly ReceiptInput[],
): Promise<readonly string[]> => {
  const cited = inputs.filter((one) => citedDigest(one) !== undefined)
  if (cited.length === 0) return []
  const { openPacketLock } = await import('./packet-lock.ts')
  const { revocation } = openPacketLock(root)
  const marked = await Promise.all(
    cited.map(async (one): Promise<GateCitation> => {
      const digest = citedDigest(one)
      const revoked = digest === undefined ? undefined : await revocation(digest)
      return { ...one, ...optional({ revoked }) }
    }),
  )
  return citationNotes(marked)
}

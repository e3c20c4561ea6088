import { resolve } from 'node:path'
import { findReceiptSigner, openCheckpointSigner } from '../../app/open/receipts/signing-key.ts'
import { loadSettings } from '../../app/process-context.ts'
import { logOrigin } from '../../lineage/origin.ts'
import type { LogReader } from '../../lineage/store.ts'
import type { Invocation } from '../command/command.ts'

/** Signs with the key that signs receipts, which is created at the first use. A key in the repository is never used. */
export const openSigner = async (invocation: Invocation, log: LogReader) => {
  const { config } = loadSettings(invocation)
  return openCheckpointSigner(config, resolve(config.root), await logOrigin(config.graph, log))
}

/** The key that signs here; undefined when there is none yet. */
export const readOwnVerifier = async (invocation: Invocation): Promise<string | undefined> => {
  const { config } = loadSettings(invocation)
  const signer = await findReceiptSigner(config, resolve(config.root)).catch(() => undefined)
  return signer?.key.text
}

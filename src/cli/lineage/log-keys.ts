import { resolve } from 'node:path'
import { findReceiptSigner, openCheckpointSigner } from '../../app/open/receipts/signing-key.ts'
import { loadSettings } from '../../app/process-context.ts'
import { createSigner } from '../../lineage/checkpoint.ts'
import { logOrigin } from '../../lineage/origin.ts'
import type { LogReader } from '../../lineage/store.ts'
import { readKeyFile } from '../../platform/files/key-file.ts'
import { requireNoSymlinks } from '../../platform/files/no-symlinks.ts'
import type { Invocation } from '../command/command.ts'

/** Signs with the key that signs receipts, which is created at the first use. A key in the repository is never used. */
export const openSigner = async (invocation: Invocation, log: LogReader) => {
  const { config } = loadSettings(invocation)
  return openCheckpointSigner(config, resolve(config.root), await logOrigin(config.graph, log))
}

/** Where earlier versions kept the key. */
export const FORMER_KEY = 'lineage.key'

/** The key that signs here; undefined when there is none yet. */
export const readOwnVerifier = async (invocation: Invocation): Promise<string | undefined> => {
  const { config } = loadSettings(invocation)
  const signer = await findReceiptSigner(config, resolve(config.root)).catch(() => undefined)
  return signer?.key.text
}

/** The verifier key that earlier versions kept in the repository; undefined when there is none that can be read. */
export const readFormerKey = async (invocation: Invocation): Promise<string | undefined> => {
  const { root, stateDir, graph } = loadSettings(invocation).config
  try {
    const pem = await readKeyFile(requireNoSymlinks(resolve(root), stateDir, FORMER_KEY))
    return pem && createSigner(`warrant/${graph}`, pem).verifier
  } catch {
    return undefined
  }
}

import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { isPathInside } from '../../../kernel/text/path-inside.ts'
import { keyFile, readKeyFile } from '../../../platform/files/key-file.ts'
import { receiptFaults } from '../../../receipts/faults.ts'
import { type ReceiptSigner, signerFromPem } from '../../../receipts/verifier-key.ts'
import type { Config } from '../../config/settings.ts'
import { signingKeyPath } from '../user-state.ts'

const PEM = '-----BEGIN '

const openPem = (pem: string, place: string): ReceiptSigner => {
  try {
    return signerFromPem(pem)
  } catch (cause) {
    throw receiptFaults.signing_key(`${place} holds no Ed25519 key`, { cause })
  }
}

/** The key that the operator named: its text, as a build server passes a secret, or its file. */
const openNamed = async (named: string, root: string): Promise<ReceiptSigner> => {
  if (named.startsWith(PEM)) return openPem(named, 'the setting signingKey')
  const path = resolve(named)
  // A key that came with a repository is known to all who can read it.
  if (isPathInside(root, path)) throw receiptFaults.signing_key(`${named} is inside of the repository`)
  try {
    return openPem(await readFile(path, 'utf8'), named)
  } catch (cause) {
    if (
      cause instanceof Error &&
      'code' in cause &&
      typeof cause.code === 'string' &&
      cause.code.startsWith('E')
    )
      throw receiptFaults.signing_key(`${named} cannot be read (${cause.code})`, { cause })
    throw cause
  }
}

/** Signs with the key that the operator named, else with that of this machine, which is made at the first use. */
export const openReceiptSigner = async (
  { signingKey }: Pick<Config, 'signingKey'>,
  root: string,
): Promise<ReceiptSigner> =>
  signingKey === undefined
    ? openPem(await keyFile(signingKeyPath()), 'the key file of this machine')
    : openNamed(signingKey, root)

/** The verifier key of this machine; undefined when it has no key yet. */
export const readOwnKey = async () => {
  const pem = await readKeyFile(signingKeyPath())
  return pem === undefined ? undefined : openPem(pem, 'the key file of this machine').key
}

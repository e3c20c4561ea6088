import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { readPolicyFile } from '../../../gate/policy-files.ts'
import { errorCode, Fault } from '../../../kernel/fault.ts'
import { optional } from '../../../kernel/optional.ts'
import { isPathInside } from '../../../kernel/text/path-inside.ts'
import { type CheckpointSigner, checkpointSigner } from '../../../lineage/checkpoint.ts'
import { keyFile, readKeyFile } from '../../../platform/files/key-file.ts'
import { repositoryFiles } from '../../../platform/git/worktree.ts'
import { receiptFaults } from '../../../receipts/faults.ts'
import { KEYS_FILE } from '../../../receipts/keys-path.ts'
import { nameKey, type ReceiptSigner, signerFromPem } from '../../../receipts/verifier-key.ts'
import type { Config } from '../../config/settings.ts'
import { signingKeyPath } from '../user-state.ts'

const PEM = '-----BEGIN '

const openPem = (pem: string, place: string, fix?: string): ReceiptSigner => {
  try {
    return signerFromPem(pem)
  } catch (cause) {
    throw receiptFaults.signing_key(`${place} holds no Ed25519 key`, { cause, ...optional({ fix }) })
  }
}

const openOwn = (pem: string): ReceiptSigner =>
  openPem(
    pem,
    'the key file of this machine',
    `Put a copy of it back, or remove ${signingKeyPath()}: the next receipt makes a new key.`,
  )

/** The key that the operator named: its text, as a build server passes a secret, or its file. */
const openNamed = async (named: string, root: string): Promise<ReceiptSigner> => {
  if (named.startsWith(PEM)) return openPem(named, 'the setting signingKey')
  const path = resolve(named)
  // A key that came with a repository is known to all who can read it.
  if (isPathInside(root, path)) throw receiptFaults.signing_key(`${named} is inside of the repository`)
  try {
    const { uid, mode } = await stat(path)
    // As ssh: others may own it, as they do in a container, and pipes are no files.
    if (uid === process.getuid?.() && (mode & 0o077) !== 0)
      throw receiptFaults.signing_key(`${named} is open to other users`, {
        fix: `Run \`chmod 600 '${path}'\`.`,
      })
    return openPem(await readFile(path, 'utf8'), named)
  } catch (cause) {
    if (cause instanceof Fault) throw cause
    throw receiptFaults.signing_key(`${named} cannot be read (${errorCode(cause)})`, { cause })
  }
}

/** A key of the ssh-agent: one that the repository lists, or else the first. */
const openAgent = async (root: string): Promise<ReceiptSigner> => {
  const socket = process.env.SSH_AUTH_SOCK
  if (socket === undefined || socket === '') throw receiptFaults.agent('SSH_AUTH_SOCK names no ssh-agent')
  const [{ listAgentKeys, signWithAgent }, { parseKeys }] = await Promise.all([
    import('../../../platform/system/ssh-agent.ts'),
    import('../../../receipts/keys-file.ts'),
  ])
  const keys = (await listAgentKeys(socket)).map((publicKey) => ({ publicKey, key: nameKey(publicKey) }))
  const text = await readPolicyFile(repositoryFiles(root), KEYS_FILE)
  const listed = new Set((await parseKeys(text)).map(({ key }) => key.id))
  const chosen = keys.find(({ key }) => listed.has(key.id)) ?? keys[0]
  if (chosen === undefined) throw receiptFaults.agent('the ssh-agent holds no Ed25519 key')
  return { key: chosen.key, sign: (bytes) => signWithAgent(socket, chosen.publicKey, bytes) }
}

/** Signs with the key that the operator named, else with that of this machine, which is made at the first use. */
export const openReceiptSigner = async (
  { signingKey, signer }: Pick<Config, 'signingKey' | 'signer'>,
  root: string,
): Promise<ReceiptSigner> => {
  if (signer === 'ssh') return openAgent(root)
  if (signingKey !== undefined) return openNamed(signingKey, root)
  return openOwn(await keyFile(signingKeyPath()))
}

/** The same for programs that create nothing: undefined when this machine has no key yet. */
export const findReceiptSigner = async (
  config: Pick<Config, 'signingKey' | 'signer'>,
  root: string,
): Promise<ReceiptSigner | undefined> => {
  if (config.signer === 'ssh' || config.signingKey !== undefined) return openReceiptSigner(config, root)
  const pem = await readKeyFile(signingKeyPath())
  return pem === undefined ? undefined : openOwn(pem)
}

/** The key of receipts, as one that signs notes. */
export const noteKeyOf = ({ key, sign }: ReceiptSigner) => ({
  publicKey: Buffer.from(key.id, 'hex'),
  sign,
})

/** Signs the checkpoints of a log with the key that signs receipts. */
export const openCheckpointSigner = async (
  config: Pick<Config, 'signingKey' | 'signer'>,
  root: string,
  origin: string,
): Promise<CheckpointSigner> => checkpointSigner(origin, noteKeyOf(await openReceiptSigner(config, root)))

/** The verifier key of this machine; undefined when it has no key yet. */
export const readOwnKey = async () => {
  const pem = await readKeyFile(signingKeyPath())
  return pem === undefined ? undefined : openOwn(pem).key
}

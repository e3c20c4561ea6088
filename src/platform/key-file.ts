import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/**
 * A private key in PEM, made when there is none. Written beside its place and linked there: of two processes
 * that make one at once, both use the one that came first.
 */
export const keyFile = async (path: string): Promise<string> => {
  const there = await readFile(path, 'utf8').catch(() => undefined)
  if (there !== undefined) return there
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  // Not by the number of the process: in a container the next one has the same, and a draft of a dead one may lie here.
  const draft = join(dirname(path), `.key.${randomBytes(6).toString('hex')}.tmp`)
  try {
    const file = await open(draft, 'wx', 0o600)
    try {
      await file.writeFile(pem)
      await file.sync()
    } finally {
      await file.close()
    }
    await link(draft, path).catch((cause: NodeJS.ErrnoException) => {
      if (cause.code !== 'EEXIST') throw cause
    })
  } finally {
    await unlink(draft).catch(() => {})
  }
  return readFile(path, 'utf8')
}

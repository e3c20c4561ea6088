import { createHash, type Hash } from 'node:crypto'
import { parentPort } from 'node:worker_threads'
import type { HashJob } from '../platform/hash-threads.ts'

/** Large files are hashed here while others fetch and write them. Nothing else is loaded: it must be up soon. */

const hashes = new Map<number, Hash>()

parentPort?.on('message', ({ file, chunk }: HashJob) => {
  const hash = hashes.get(file) ?? createHash('sha256')
  if (chunk === undefined) hashes.delete(file)
  else hashes.set(file, hash.update(chunk))
  parentPort?.postMessage(chunk === undefined ? `sha256:${hash.digest('hex')}` : '')
})
parentPort?.postMessage('')

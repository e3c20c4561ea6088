import { constants } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Evidence } from '../../evidence/schema.ts'
import {
  EVIDENCE_FILE,
  type EvidenceReading,
  type EvidenceStore,
  evidenceFaults,
} from '../../evidence/store.ts'
import { runYielding } from '../../kernel/async/cooperative.ts'
import { errorCode } from '../../kernel/fault.ts'
import type { Clock } from '../../kernel/ports.ts'
import { readBytes, readRegularFile } from '../jail/async.ts'
import { replaceFile, sweepDrafts } from './atomic-write.ts'
import { withLock } from './file-lock.ts'
import { fileIdentity, identify, watchFile } from './watch-file.ts'

const LOCK_WAIT_MS = 15_000
const MAX_GITDIR_BYTES = 8_192

/** Granularity of ctime: within it a second change may leave the ctime as it was. */
const CTIME_TICK_MS = 50

/** How often a file is read again that changes while it is read. */
const MAX_READS = 4

/** Above this size, reading takes longer than loading the schema. */
const MAX_INTACT_BYTES = 16 * 1024 * 1024

const MISSING: EvidenceReading = { kind: 'missing' }
const UNREADABLE: EvidenceReading = { kind: 'invalid', reason: 'unreadable' }

interface CachedReading {
  readonly reading: EvidenceReading
  readonly identity: string
  /** The file changed so recently that the next change may not show in its identity. */
  readonly young: boolean
}

const readOpened = async (
  file: FileHandle,
  now: () => number,
  before?: CachedReading,
): Promise<CachedReading> => {
  // Zod and the schema are loaded with the first file, not at start-up.
  const { MAX_BYTES, readDocumentSteps } = await import('../../evidence/read.ts')
  const stats = await file.stat({ bigint: true })
  const identity = identify(stats)
  const young = Math.abs(now() - Number(stats.ctimeNs / 1_000_000n)) < CTIME_TICK_MS
  if (!stats.isFile()) return { reading: UNREADABLE, identity, young }
  if (stats.size > BigInt(MAX_BYTES)) {
    return { reading: { kind: 'invalid', reason: 'too-large' }, identity, young }
  }
  const bytes = await readBytes(file, Number(stats.size))
  const reading = await runYielding(readDocumentSteps(bytes))
  const same =
    reading.kind === 'valid' && before?.reading.kind === 'valid' && before.reading.digest === reading.digest
  return { reading: same ? before.reading : reading, identity, young }
}

// O_NOFOLLOW: a symlink may lead out of the repository. O_NONBLOCK: opening a pipe must not wait for its writer.
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

const readUncached = async (
  path: string,
  now: () => number,
  before?: CachedReading,
): Promise<CachedReading> => {
  const identity = fileIdentity(path)
  let file: FileHandle
  try {
    file = await open(path, READ_FLAGS)
  } catch (cause) {
    const absent = ['ENOENT', 'ENOTDIR'].includes(errorCode(cause) ?? '')
    return { reading: absent ? MISSING : UNREADABLE, identity, young: false }
  }
  try {
    return await readOpened(file, now, before)
  } catch {
    return { reading: UNREADABLE, identity, young: false }
  } finally {
    await file.close()
  }
}

/** Evidence whose own digest matches, read without the schema; undefined leaves the file to `readValid`. */
const readIntact = async (path: string): Promise<Evidence | undefined> => {
  const file = await open(path, READ_FLAGS).catch(() => undefined)
  if (file === undefined) return undefined
  try {
    const stats = await file.stat()
    if (!stats.isFile() || stats.size > MAX_INTACT_BYTES) return undefined
    const { readTrusted } = await import('../../evidence/read-trusted.ts')
    return readTrusted(await readBytes(file, stats.size))
  } catch {
    return undefined
  } finally {
    await file.close()
  }
}

const readValid = async (path: string, now: () => number): Promise<Evidence | undefined> => {
  if (fileIdentity(path) === '') return undefined
  const { reading } = await readUncached(path, now)
  return reading.kind === 'valid' ? reading.evidence : undefined
}

/**
 * The lock of all writers of this evidence: in the git folder of this work tree, where it is not listed as untracked;
 * beside the evidence when there is no git.
 */
const lockPath = async (root: string): Promise<string> => {
  const git = join(root, '.git')
  const stats = await stat(git).catch(() => undefined)
  if (stats?.isDirectory()) return join(git, 'warrant-evidence.lock')
  // In a linked work tree or a submodule `.git` is a file that names the git folder.
  const text = stats?.isFile() ? String(await readRegularFile(git, MAX_GITDIR_BYTES).catch(() => '')) : ''
  const [, named] = /^gitdir: (.+)$/m.exec(text) ?? []
  const folder = named === undefined ? undefined : resolve(root, named)
  // The file may come with a repository and name any folder: write only into one that git uses.
  const isGitFolder =
    folder !== undefined && (await stat(join(folder, 'HEAD')).catch(() => undefined))?.isFile()
  return isGitFolder ? join(folder, 'warrant-evidence.lock') : join(root, `${EVIDENCE_FILE}.lock`)
}

const writeEvidence = async (root: string, text: string): Promise<void> => {
  try {
    await sweepDrafts(root)
    // Durable: the next evidence is chained to this one.
    await replaceFile(join(root, EVIDENCE_FILE), text, { durable: true })
  } catch (cause) {
    throw evidenceFaults.unwritable(`${EVIDENCE_FILE} could not be written`, { cause })
  }
}

/** The evidence file in the root of a repository. */
export const fileEvidence = (root: string, clock: Clock): EvidenceStore => {
  const path = join(root, EVIDENCE_FILE)
  const now = () => clock.now()
  let cached: CachedReading | undefined
  let loading: Promise<EvidenceReading> | undefined

  const load = async (): Promise<EvidenceReading> => {
    try {
      // Callers share this load and may have changed the file while it ran: read until the file stays the same.
      for (let tries = 0; tries < MAX_READS; tries += 1) {
        cached = await readUncached(path, now, cached)
        if (cached.identity === fileIdentity(path)) break
      }
      return cached?.reading ?? UNREADABLE
    } finally {
      loading = undefined
    }
  }

  const replace = async (make: Parameters<EvidenceStore['replace']>[0]): Promise<Evidence> => {
    const { linkEvidence, writeDocument } = await import('../../evidence/document.ts')
    const previous = (await readIntact(path)) ?? (await readValid(path, now))
    const sealed = linkEvidence(await make(previous), previous, root)
    await writeEvidence(root, writeDocument(sealed))
    return sealed
  }

  return {
    async read() {
      // One lstat per call: a change event would come too late for a client that writes and asks at once.
      if (cached !== undefined && !cached.young && cached.identity === fileIdentity(path))
        return cached.reading
      loading ??= load()
      return loading
    },
    watch: (changed) => watchFile(root, EVIDENCE_FILE, changed),
    replace: async (make) =>
      withLock(await lockPath(root), { clock, waitMs: LOCK_WAIT_MS }, () => replace(make)),
  }
}

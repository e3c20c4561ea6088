import { constants } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { evidenceFaults } from '../../evidence/faults.ts'
import type { Evidence } from '../../evidence/schema.ts'
import { EVIDENCE_FILE, type EvidenceReading, type EvidenceStore } from '../../evidence/store.ts'
import type { Clock } from '../../kernel/ports.ts'
import { readBytes, readRegularFile } from '../jail/async.ts'
import { replaceFile, sweepDrafts } from './atomic-write.ts'
import { withLock } from './file-lock.ts'
import { fileIdentity, identify, watchFile } from './watch-file.ts'

const LOCK_WAIT_MS = 15_000
const MAX_POINTER = 8_192

/** How young a file may be for a second change within the same tick of its clock to go unseen, in milliseconds. */
const TICK_MS = 50

/** How often a file that changes while we read it is read again. */
const MAX_READS = 4

/** Past this, reading takes longer than loading the schema. */
const MAX_INTACT = 16 * 1024 * 1024

const MISSING: EvidenceReading = { kind: 'missing' }
const UNREADABLE: EvidenceReading = { kind: 'invalid', reason: 'unreadable' }

interface Seen {
  readonly reading: EvidenceReading
  readonly identity: string
  /** True when the file was so young that its times may not tell the next change. */
  readonly young: boolean
}

const readOpened = async (file: FileHandle, now: () => number, before?: Seen): Promise<Seen> => {
  // Zod and the schema are loaded with the first file, not with the server.
  const { MAX_BYTES, readDocument } = await import('../../evidence/read.ts')
  const stats = await file.stat({ bigint: true })
  const identity = identify(stats)
  const young = Math.abs(now() - Number(stats.ctimeNs / 1_000_000n)) < TICK_MS
  if (!stats.isFile()) return { reading: UNREADABLE, identity, young }
  if (stats.size > BigInt(MAX_BYTES)) {
    return { reading: { kind: 'invalid', reason: 'too-large' }, identity, young }
  }
  const bytes = await readBytes(file, Number(stats.size))
  const reading = readDocument(bytes)
  const same =
    reading.kind === 'valid' && before?.reading.kind === 'valid' && before.reading.digest === reading.digest
  return { reading: same ? before.reading : reading, identity, young }
}

// Not through a link, which may lead out of the repository, and not waiting for the writer of a pipe.
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

const readFresh = async (path: string, now: () => number, before?: Seen): Promise<Seen> => {
  const identity = fileIdentity(path)
  let file: FileHandle
  try {
    file = await open(path, FLAGS)
  } catch (cause) {
    const absent = ['ENOENT', 'ENOTDIR'].includes((cause as NodeJS.ErrnoException).code ?? '')
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

/** Evidence as it was sealed, read without the schema; undefined leaves it to `readValid`. */
const readIntact = async (path: string): Promise<Evidence | undefined> => {
  const file = await open(path, FLAGS).catch(() => undefined)
  if (file === undefined) return undefined
  try {
    const stats = await file.stat()
    if (!stats.isFile() || stats.size > MAX_INTACT) return undefined
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
  const { reading } = await readFresh(path, now)
  return reading.kind === 'valid' ? reading.evidence : undefined
}

/**
 * Where writers of this evidence meet: in the folder git keeps for this work tree, so that nothing shows up as
 * untracked; beside the file where there is no git.
 */
const lockPath = async (root: string): Promise<string> => {
  const git = join(root, '.git')
  const kind = await stat(git).catch(() => undefined)
  if (kind?.isDirectory()) return join(git, 'warrant-evidence.lock')
  // In a linked work tree or a submodule it is a file that names the folder.
  const text = kind?.isFile() ? String(await readRegularFile(git, MAX_POINTER).catch(() => '')) : ''
  const [, named] = /^gitdir: (.+)$/m.exec(text) ?? []
  const folder = named === undefined ? undefined : resolve(root, named)
  // A file of the repository may name any folder; we only write where git would.
  const there = folder !== undefined && (await stat(join(folder, 'HEAD')).catch(() => undefined))?.isFile()
  return there ? join(folder, 'warrant-evidence.lock') : join(root, `${EVIDENCE_FILE}.lock`)
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
  let seen: Seen | undefined
  let loading: Promise<EvidenceReading> | undefined

  const load = async (): Promise<EvidenceReading> => {
    try {
      // Who joined while we read may have changed the file before it asked: what we return is what is there at the end.
      for (let tries = 0; tries < MAX_READS; tries += 1) {
        seen = await readFresh(path, now, seen)
        if (seen.identity === fileIdentity(path)) break
      }
      return seen?.reading ?? UNREADABLE
    } finally {
      loading = undefined
    }
  }

  const replace = async (make: (previous: Evidence | undefined) => Evidence): Promise<Evidence> => {
    const { linkEvidence, writeDocument } = await import('../../evidence/document.ts')
    const previous = (await readIntact(path)) ?? (await readValid(path, now))
    const sealed = linkEvidence(make(previous), previous, root)
    await writeEvidence(root, writeDocument(sealed))
    return sealed
  }

  return {
    async read() {
      // One look at the inode costs less than a request; being told of changes would come too late for a
      // client that writes and asks at once.
      if (seen !== undefined && !seen.young && seen.identity === fileIdentity(path)) return seen.reading
      loading ??= load()
      return loading
    },
    watch: (changed) => watchFile(root, EVIDENCE_FILE, changed),
    replace: async (make) =>
      withLock(await lockPath(root), { clock, waitMs: LOCK_WAIT_MS }, () => replace(make)),
  }
}

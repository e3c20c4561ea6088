import { createHash } from 'node:crypto'
import { copyFile, cp } from 'node:fs/promises'
import { join } from 'node:path'
import { type Database, openDatabase } from '../../src/platform/log-stores/sqlite/database.ts'
import { makeFolder } from '../support/binary.ts'
import { BeliefServer, type ServerPlan } from './belief-server.ts'

/** The log under test is the first of its file. */
const LOG = 1
const LOG_SPAN = 2 ** 32
const place = (seq: number): number => LOG * LOG_SPAN + seq

/** Opens the file past the product, and leaves nothing of its own behind. */
export const tamperWith = async <T>({ store }: ServerPlan, work: (db: Database) => T): Promise<T> => {
  const db = await openDatabase(store)
  try {
    const result = work(db)
    db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()
    return result
  } finally {
    db.close()
  }
}

type Part = 'entry' | 'payload'

/** What was written one at a time lies in runs of one. */
const readRun = (db: Database, seq: number): Record<Part, Buffer> => {
  const row = db.prepare('SELECT sizes, bytes FROM runs WHERE id = ?').get(place(seq))
  if (!(row?.sizes instanceof Uint8Array) || row.sizes.length !== 8)
    throw new Error(`${seq} is no run of one`)
  const bytes = Buffer.from(row.bytes as Uint8Array)
  const cut = Buffer.from(row.sizes).readUInt32LE(0)
  return { entry: bytes.subarray(0, cut), payload: bytes.subarray(cut) }
}

export const readPart = (db: Database, part: Part, seq: number): Buffer => readRun(db, seq)[part]

export const writePart = (db: Database, part: Part, seq: number, bytes: Uint8Array): void => {
  const { entry, payload }: Record<Part, Uint8Array> = { ...readRun(db, seq), [part]: bytes }
  const sizes = Buffer.alloc(8)
  sizes.writeUInt32LE(entry.length, 0)
  sizes.writeUInt32LE(payload.length, 4)
  const run = [sizes, Buffer.concat([entry, payload]), place(seq)]
  db.prepare('UPDATE runs SET sizes = ?, bytes = ? WHERE id = ?').run(...run)
}

/** Puts one text in the place of another of the same length. */
export const replaceText = (db: Database, part: Part, seq: number, from: RegExp, to: string): void => {
  const text = readPart(db, part, seq).toString('latin1')
  const [found] = from.exec(text) ?? []
  if (found?.length !== to.length || found === to) throw new Error(`${from} is not in ${text}`)
  writePart(db, part, seq, Buffer.from(text.replace(from, to), 'latin1'))
}

/** Changes the first digit of a hash in the entry. */
export const changeHash = (db: Database, seq: number, member: 'checksum' | 'payload_hash'): void => {
  const text = readPart(db, 'entry', seq).toString('utf8')
  const entry = JSON.parse(text) as Record<string, string>
  const old = entry[member] ?? ''
  const changed = `${old.startsWith('0') ? '1' : '0'}${old.slice(1)}`
  writePart(db, 'entry', seq, Buffer.from(text.replace(old, changed)))
}

export const deleteFrom = (db: Database, first: number, last = first): void => {
  db.prepare('DELETE FROM runs WHERE id BETWEEN ? AND ?').run(place(first), place(last))
}

export const swapRows = (db: Database, a: number, b: number): void => {
  for (const part of ['entry', 'payload'] as const) {
    const [first, second] = [readPart(db, part, a), readPart(db, part, b)]
    writePart(db, part, a, second)
    writePart(db, part, b, first)
  }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Replaces a text in a payload and recomputes all later hashes, as a forger would. */
export const forgePayload = (db: Database, from: number, text: RegExp, other: string): void => {
  replaceText(db, 'payload', from, text, other)
  let previous = JSON.parse(readPart(db, 'entry', from - 1).toString('utf8')).checksum
  for (let seq = from; seq < ENTRIES; seq += 1) {
    const entry = JSON.parse(readPart(db, 'entry', seq).toString('utf8'))
    entry.payload_hash = sha256(readPart(db, 'payload', seq).toString('utf8'))
    const { tick, operation, timestamp, payload_hash } = entry
    const linked = ['SCG-LINEAGE-1', seq, tick, operation, timestamp, payload_hash, previous]
    entry.checksum = sha256(linked.join('\n'))
    previous = entry.checksum
    writePart(db, 'entry', seq, Buffer.from(JSON.stringify(entry)))
  }
}

/** Puts another value in the place of a setting that the log was made with. */
export const replaceGenesis = (db: Database, from: string, to: string): void => {
  const row = db.prepare('SELECT genesis FROM logs WHERE id = ?').get(LOG)
  const text = Buffer.from(row?.genesis as Uint8Array).toString('utf8')
  if (!text.includes(from)) throw new Error(`${from} is not in ${text}`)
  db.prepare('UPDATE logs SET genesis = ? WHERE id = ?').run(Buffer.from(text.replace(from, to)), LOG)
}

export const dropSnapshots = (db: Database): void => db.exec('DELETE FROM snapshots')

/** Changes the bytes of every snapshot, or of the newest alone. Returns how many there were. */
export const changeSnapshots = (
  db: Database,
  change: (bytes: Buffer) => Buffer,
  most = Number.POSITIVE_INFINITY,
): number => {
  const rows = db.prepare('SELECT id, bytes FROM snapshots ORDER BY id DESC').all()
  for (const { id, bytes } of rows.slice(0, most)) {
    const changed = change(Buffer.from(bytes as Uint8Array))
    db.prepare('UPDATE snapshots SET bytes = ? WHERE id = ?').run(changed, Number(id))
  }
  return rows.length
}

export const flipBit =
  (at: number) =>
  (bytes: Buffer): Buffer => {
    const byte = at < 0 ? bytes.length + at : at
    bytes[byte] = (bytes[byte] ?? 0) ^ 4
    return bytes
  }

/** A snapshot with a valid checksum and wrong content. */
export const forgeSnapshot = (bytes: Buffer): Buffer => {
  const body = Buffer.from(bytes.subarray(0, -32))
  body.fill(0xff, body.length - 60, body.length - 40)
  return Buffer.concat([body, createHash('sha256').update(body).digest()])
}

/** Changes or removes every hash that is stored of the tree. */
export const changeNode = (db: Database, how: 'changed' | 'gone'): void => {
  const sql = how === 'gone' ? 'DELETE FROM nodes' : 'UPDATE nodes SET hash = ?'
  const values = how === 'gone' ? [] : [Buffer.alloc(32, 7)]
  if (Number(db.prepare(sql).run(...values).changes) === 0) throw new Error('no hash is stored')
}

const CLAIM = 'the build is green'
/** Entries in a store as `makeStore` leaves it. */
export const ENTRIES = 40

/** Twenty entries: nodes with claims, moves, edges and a tick. */
const write = async (server: BeliefServer, from: number): Promise<void> => {
  for (let n = 0; n < 12; n += 1) {
    const claim = n % 2 === 0 ? { claim: CLAIM } : {}
    await server.must('node.create', { belief: 0.25 + n / 40, energy: 50 + n, ...claim })
  }
  for (let n = 0; n < 5; n += 1) await server.must('node.mutate', { node_id: String(from + n), delta: 0.125 })
  for (let n = 0; n < 2; n += 1) {
    await server.must('edge.bind', { src: String(from + n), dst: String(from + n + 1), weight: 0.5 })
  }
  await server.must('edge.propagate', { edge_id: '0' })
}

/** A closed store with forty entries and a snapshot after the twentieth and after the last of them. */
export const makeStore = async (): Promise<ServerPlan> => {
  const folder = await makeFolder()
  const plan = { store: join(folder, 'beliefs.db'), folder }
  for (const from of [0, 12]) {
    const server = new BeliefServer(plan)
    await write(server, from)
    await server.finish()
  }
  await tamperWith(plan, () => {})
  return plan
}

/** The same store and key somewhere else, to be damaged there. */
export const copyStore = async (plan: ServerPlan): Promise<ServerPlan> => {
  const folder = await makeFolder()
  const copy = { ...plan, folder, store: join(folder, 'beliefs.db') }
  await copyFile(plan.store, copy.store)
  // The last connection to close removes the WAL, but not at a defined time.
  await copyFile(`${plan.store}-wal`, `${copy.store}-wal`).catch(() => {})
  await cp(join(plan.folder, '.warrant'), join(folder, '.warrant'), { recursive: true, force: true }).catch(
    () => {},
  )
  return copy
}

import type { Database } from '../../src/platform/log-stores/sqlite/database.ts'

const LOG_SPAN = 2 ** 32
const LENGTH_BYTES = 4

/** A part of an entry of a log in a SQLite file, changed behind the back of its writers. The entry is a run of its own. */
export const changeStored = (
  db: Database,
  { log, seq, part }: { readonly log: string; readonly seq: number; readonly part: 'entry' | 'payload' },
  change: (bytes: Buffer) => Buffer,
): void => {
  const place = Number(db.prepare('SELECT id FROM logs WHERE name = ?').get(log)?.id) * LOG_SPAN + seq
  const row = db.prepare('SELECT sizes, bytes FROM runs WHERE id = ?').get(place)
  if (!(row?.sizes instanceof Uint8Array) || row.sizes.length !== 2 * LENGTH_BYTES)
    throw new Error(`${seq} is no run of one`)
  const bytes = Buffer.from(row.bytes as Uint8Array)
  const cut = Buffer.from(row.sizes).readUInt32LE(0)
  const parts: Record<'entry' | 'payload', Buffer> = {
    entry: bytes.subarray(0, cut),
    payload: bytes.subarray(cut),
  }
  parts[part] = change(parts[part])
  const sizes = Buffer.alloc(2 * LENGTH_BYTES)
  sizes.writeUInt32LE(parts.entry.length, 0)
  sizes.writeUInt32LE(parts.payload.length, LENGTH_BYTES)
  db.prepare('UPDATE runs SET sizes = ?, bytes = ? WHERE id = ?').run(
    sizes,
    Buffer.concat([parts.entry, parts.payload]),
    place,
  )
}

import { createHash } from 'node:crypto'
import { nextTurn } from '../../kernel/async/cooperative.ts'
import { genesisChecksum } from '../../lineage/chain.ts'
import type { Entry } from '../../lineage/store.ts'

export interface ExportFile {
  readonly count: number
  /** Checksum of the newest entry. */
  readonly head: string
  /** JSON, indented by two spaces. */
  readonly content: Buffer
  /** SHA-256 of the content. */
  readonly checksum: string
}

/** Characters that are encoded and hashed at once. */
const PART_CHARACTERS = 1024 * 1024

/** Writes entries as a JSON array, one by one: the event loop has turns in between. */
export const collectExport = async (genesis: string, entries: AsyncIterable<Entry>): Promise<ExportFile> => {
  const parts: Buffer[] = []
  let part = '['
  let count = 0
  let head = genesisChecksum(genesis)
  for await (const entry of entries) {
    part += `${count === 0 ? '' : ','}\n  ${JSON.stringify(entry, null, 2).replaceAll('\n', '\n  ')}`
    count += 1
    head = entry.checksum
    if (part.length < PART_CHARACTERS) continue
    parts.push(Buffer.from(part))
    part = ''
  }
  parts.push(Buffer.from(`${part}${count === 0 ? '' : '\n'}]\n`))
  const hash = createHash('sha256')
  for (const one of parts) {
    hash.update(one)
    await nextTurn()
  }
  return { count, head, content: Buffer.concat(parts), checksum: hash.digest('hex') }
}

import { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'
import { canonicalJson } from '../../kernel/encoding/canonical.ts'
import type { GraphConfig } from '../config.ts'
import { beliefFaults } from '../faults.ts'
import type { Column } from './columns.ts'
import { CELL } from './energy.ts'
import { emptyTables, type Tables } from './tables.ts'

/*
 * A snapshot, little-endian:
 *   0    8  "WRNTGRPH"
 *   8    4  version, u32
 *   12  32  SHA-256 of the configuration's canonical JSON
 *   44   4  number of nodes, u32
 *   48   4  number of edges, u32
 *   52   8  tick, f64
 *   60  96  energy accounts (reserve, held by nodes, dissipated): three signed integers of 32 bytes, in the
 *           smallest unit of energy
 *   156     columns, each whole before the next:
 *           cells (belief and the three limbs h, m, l of the energy: four f64 a node), checksum f64, stability f64,
 *           time of the last write in ms f64; then src u32, dst u32, weight f64, time of the binding in ms f64, checksum f64
 *   end-32  SHA-256 of all bytes before it
 * Data derived from the edges (lists, sums, topological order) is not stored but rebuilt.
 */
const MAGIC = 'WRNTGRPH'
const VERSION = 1
const CONFIG_AT = 12
/** Two counts, then the tick. */
const COUNTS_AT = 44
const ACCOUNTS_AT = 60
const COLUMNS_AT = 156
const HASH_BYTES = 32
const ACCOUNT_WORDS = 4

const sha256 = (data: string | Uint8Array): Buffer => createHash('sha256').update(data).digest()

const configHash = (config: GraphConfig): Buffer =>
  sha256(canonicalJson({ ...config, pool: String(config.pool) }))

const storedColumns = (
  { nodes, edges }: Tables,
  nodeCount: number,
  edgeCount: number,
): [Column, number][] => [
  [nodes.cells, nodeCount * CELL],
  [nodes.checksums, nodeCount],
  [nodes.stability, nodeCount],
  [nodes.writtenAt, nodeCount],
  [edges.src, edgeCount],
  [edges.dst, edgeCount],
  [edges.weight, edgeCount],
  [edges.boundAt, edgeCount],
  [edges.checksums, edgeCount],
]

const snapshotLength = (columns: [Column, number][]): number =>
  columns.reduce((sum, [column, rows]) => sum + rows * column.BYTES_PER_ELEMENT, COLUMNS_AT + HASH_BYTES)

const LITTLE_ENDIAN = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1

/** The memory of the first `rows` rows of a column. */
const rawBytes = (column: Column, rows: number): Uint8Array =>
  new Uint8Array(column.buffer, column.byteOffset, rows * column.BYTES_PER_ELEMENT)

const bytesAt = (view: DataView, offset: number, length: number): Uint8Array =>
  new Uint8Array(view.buffer, view.byteOffset + offset, length)

// On little-endian machines, which is nearly all, a column is copied as one block.
const writeColumn = (view: DataView, offset: number, column: Column, rows: number): void => {
  if (LITTLE_ENDIAN) {
    const raw = rawBytes(column, rows)
    bytesAt(view, offset, raw.length).set(raw)
  } else if (column instanceof Float64Array) {
    for (let row = 0; row < rows; row += 1) view.setFloat64(offset + row * 8, column[row] ?? 0, true)
  } else {
    for (let row = 0; row < rows; row += 1) view.setInt32(offset + row * 4, column[row] ?? 0, true)
  }
}

const readColumn = (view: DataView, offset: number, column: Column, rows: number): void => {
  if (LITTLE_ENDIAN) {
    const raw = rawBytes(column, rows)
    raw.set(bytesAt(view, offset, raw.length))
  } else if (column instanceof Float64Array) {
    for (let row = 0; row < rows; row += 1) column[row] = view.getFloat64(offset + row * 8, true)
  } else {
    for (let row = 0; row < rows; row += 1) column[row] = view.getInt32(offset + row * 4, true)
  }
}

const writeAccount = (view: DataView, offset: number, quanta: bigint): void => {
  for (let word = 0; word < ACCOUNT_WORDS; word += 1) {
    view.setBigUint64(offset + word * 8, BigInt.asUintN(64, quanta >> BigInt(word * 64)), true)
  }
}

const readAccount = (view: DataView, offset: number): bigint => {
  let quanta = 0n
  for (let word = 0; word < ACCOUNT_WORDS; word += 1) {
    quanta += view.getBigUint64(offset + word * 8, true) << BigInt(word * 64)
  }
  return BigInt.asIntN(64 * ACCOUNT_WORDS, quanta)
}

const accountAt = (index: number): number => ACCOUNTS_AT + index * ACCOUNT_WORDS * 8

/** Free bytes before and after a snapshot, to be filled by the caller. */
export interface Margins {
  readonly before: number
  readonly after: number
}

/** Leaves margins, so that the caller can add header and trailer without copying the snapshot. */
export const writeSnapshot = (
  config: GraphConfig,
  tables: Tables,
  { before, after }: Margins = { before: 0, after: 0 },
): Buffer => {
  const { nodes, edges, ledger } = tables
  const columns = storedColumns(tables, nodes.count, edges.count)
  const length = snapshotLength(columns)
  const whole = Buffer.allocUnsafeSlow(before + length + after)
  const bytes = whole.subarray(before, before + length)
  const view = new DataView(bytes.buffer, bytes.byteOffset, length)
  bytes.set(Buffer.from(MAGIC, 'latin1'))
  view.setUint32(MAGIC.length, VERSION, true)
  bytes.set(configHash(config), CONFIG_AT)
  view.setUint32(COUNTS_AT, nodes.count, true)
  view.setUint32(COUNTS_AT + 4, edges.count, true)
  view.setFloat64(COUNTS_AT + 8, tables.tick, true)
  const { reserve, nodes: held, dissipated } = ledger.accounts()
  for (const [index, quanta] of [reserve, held, dissipated].entries()) {
    writeAccount(view, accountAt(index), quanta)
  }
  let offset = COLUMNS_AT
  for (const [column, rows] of columns) {
    writeColumn(view, offset, column, rows)
    offset += rows * column.BYTES_PER_ELEMENT
  }
  bytes.set(sha256(bytes.subarray(0, offset)), offset)
  return whole
}

const failDamaged = (what: string): never => {
  throw beliefFaults.snapshot_damaged(`the snapshot is damaged: ${what}`)
}

const checkHeader = (config: GraphConfig, bytes: Uint8Array, view: DataView): void => {
  if (bytes.length < COLUMNS_AT + HASH_BYTES) failDamaged('it is too short')
  const end = bytes.length - HASH_BYTES
  if (!sha256(bytes.subarray(0, end)).equals(bytes.subarray(end))) failDamaged('its checksum does not match')
  if (Buffer.from(bytes.subarray(0, MAGIC.length)).toString('latin1') !== MAGIC)
    failDamaged('it is not a graph snapshot')
  if (view.getUint32(MAGIC.length, true) !== VERSION) {
    throw beliefFaults.snapshot_foreign('the snapshot was written by another version')
  }
  if (!configHash(config).equals(bytes.subarray(CONFIG_AT, COUNTS_AT))) {
    throw beliefFaults.snapshot_foreign('the snapshot was written under another configuration')
  }
}

/** The checksum detects accidents only. Whether the content is right can only be verified against the log. */
export const readSnapshot = (config: GraphConfig, bytes: Uint8Array): Tables => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  checkHeader(config, bytes, view)
  const tables = emptyTables(config)
  const nodeCount = view.getUint32(COUNTS_AT, true)
  const edgeCount = view.getUint32(COUNTS_AT + 4, true)
  // Checked before memory is allocated, so that a wrong count cannot exhaust it.
  if (snapshotLength(storedColumns(tables, nodeCount, edgeCount)) !== bytes.length)
    failDamaged('its length is wrong')
  tables.tick = view.getFloat64(COUNTS_AT + 8, true)
  tables.ledger.load({
    reserve: readAccount(view, accountAt(0)),
    nodes: readAccount(view, accountAt(1)),
    dissipated: readAccount(view, accountAt(2)),
  })
  fillTables(tables, view, nodeCount, edgeCount)
  return tables
}

const fillTables = (tables: Tables, view: DataView, nodeCount: number, edgeCount: number): void => {
  const { nodes, edges, order } = tables
  nodes.reserve(nodeCount)
  edges.reserveNodes(nodeCount)
  edges.reserve(edgeCount)
  let offset = COLUMNS_AT
  for (const [column, rows] of storedColumns(tables, nodeCount, edgeCount)) {
    readColumn(view, offset, column, rows)
    offset += rows * column.BYTES_PER_ELEMENT
  }
  nodes.count = nodeCount
  for (let edge = 0; edge < edgeCount; edge += 1) {
    const { src, dst } = edges.state(edge)
    if (src >= nodeCount || dst >= nodeCount) failDamaged('an edge has an unknown node')
  }
  edges.rebuildLists(edgeCount)
  if (order?.rebuild(nodeCount) === false) failDamaged('its edges form a cycle')
}

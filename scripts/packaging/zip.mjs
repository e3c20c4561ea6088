// A small writer of ZIP archives (APPNOTE 6.3.3, without ZIP64): the same files give the same bytes.
import { crc32, deflateRawSync } from 'node:zlib'

const DEFLATED = 8
const VERSION_NEEDED = 20
/** Made on Unix, so that readers take the mode of a file from the external attributes. */
const MADE_BY = (3 << 8) | VERSION_NEEDED
const UTF8_NAMES = 0x0800
/** 1 January 1980, the first date of the format. */
const DATE = 0x0021
const LIMIT = 0xffff_ffff

/** @typedef {{ readonly name: string, readonly bytes: Uint8Array, readonly mode: number }} ZipFile */

/** The fields that the header of a file and the directory of the archive share. */
const sharedFields = (
  /** @type {Uint8Array} */ name,
  /** @type {Uint8Array} */ bytes,
  /** @type {Uint8Array} */ packed,
) => {
  const fields = Buffer.alloc(26)
  fields.writeUInt16LE(VERSION_NEEDED, 0)
  fields.writeUInt16LE(UTF8_NAMES, 2)
  fields.writeUInt16LE(DEFLATED, 4)
  fields.writeUInt16LE(DATE, 8)
  fields.writeUInt32LE(crc32(bytes), 10)
  fields.writeUInt32LE(packed.length, 14)
  fields.writeUInt32LE(bytes.length, 18)
  fields.writeUInt16LE(name.length, 22)
  return fields
}

const signature = (/** @type {number} */ second) => Buffer.from([0x50, 0x4b, second, second + 1])

/** The archive of the files, in the order of their names. @param {readonly ZipFile[]} files */
export const createZip = (files) => {
  const parts = []
  const directory = []
  let offset = 0
  for (const { name, bytes, mode } of files.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = Buffer.from(name)
    const packed = deflateRawSync(bytes, { level: 9 })
    const fields = sharedFields(path, bytes, packed)
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(((0o100000 | mode) << 16) >>> 0, 6)
    rest.writeUInt32LE(offset, 10)
    const madeBy = Buffer.alloc(2)
    madeBy.writeUInt16LE(MADE_BY, 0)
    directory.push(signature(1), madeBy, fields, rest, path)
    parts.push(signature(3), fields, path, packed)
    offset += 4 + fields.length + path.length + packed.length
  }
  const list = Buffer.concat(directory)
  if (offset + list.length > LIMIT || files.length > 0xffff) throw new Error('the archive is too large')
  const end = Buffer.alloc(18)
  end.writeUInt16LE(files.length, 4)
  end.writeUInt16LE(files.length, 6)
  end.writeUInt32LE(list.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...parts, list, signature(5), end])
}

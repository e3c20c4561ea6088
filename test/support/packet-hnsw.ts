/** A file as FAISS writes it for an HNSW graph over flat rows. */
export const hnswFile = (flat: Uint8Array): Uint8Array => {
  const prefix = Buffer.from(flat.subarray(0, 37))
  prefix.write('IHNf')
  const arrays = [8, 4, 4, 8, 4].map((width, i) => {
    const bytes = Buffer.alloc(8 + width * (i + 1), 7)
    bytes.writeBigUInt64LE(BigInt(i + 1))
    return bytes
  })
  return Buffer.concat([prefix, ...arrays, Buffer.alloc(20, 1), flat])
}

import { createHash } from 'node:crypto'

/** The Merkle tree of RFC 6962, section 2.1, written as it stands there. Shares no code with `src/lineage`. */

export const sha256 = (...parts: readonly (string | Uint8Array)[]): Buffer => {
  const state = createHash('sha256')
  for (const part of parts) state.update(part)
  return state.digest()
}

export const plainLeaf = (entry: string | Uint8Array): Buffer => sha256(Buffer.of(0), entry)
export const plainNode = (left: Uint8Array, right: Uint8Array): Buffer => sha256(Buffer.of(1), left, right)

const split = (size: number): number => {
  let k = 1
  while (k * 2 < size) k *= 2
  return k
}

/** MTH(D[n]) from the hashes of the leaves. */
export const plainTreeRoot = (leaves: readonly Buffer[]): Buffer => {
  if (leaves.length === 0) return sha256()
  if (leaves.length === 1) return leaves[0] as Buffer
  const k = split(leaves.length)
  return plainNode(plainTreeRoot(leaves.slice(0, k)), plainTreeRoot(leaves.slice(k)))
}

/** PATH(m, D[n]). */
export const plainInclusionPath = (m: number, leaves: readonly Buffer[]): Buffer[] => {
  if (leaves.length <= 1) return []
  const k = split(leaves.length)
  return m < k
    ? [...plainInclusionPath(m, leaves.slice(0, k)), plainTreeRoot(leaves.slice(k))]
    : [...plainInclusionPath(m - k, leaves.slice(k)), plainTreeRoot(leaves.slice(0, k))]
}

/** PATH(m, D[n]) for every m, with each subtree hashed once. */
export const plainInclusionPaths = (
  leaves: readonly Buffer[],
): { readonly root: Buffer; readonly paths: readonly (readonly Buffer[])[] } => {
  if (leaves.length <= 1) return { root: plainTreeRoot(leaves), paths: leaves.map(() => []) }
  const k = split(leaves.length)
  const [left, right] = [plainInclusionPaths(leaves.slice(0, k)), plainInclusionPaths(leaves.slice(k))]
  return {
    root: plainNode(left.root, right.root),
    paths: [
      ...left.paths.map((path) => [...path, right.root]),
      ...right.paths.map((path) => [...path, left.root]),
    ],
  }
}

const subProof = (m: number, leaves: readonly Buffer[], whole: boolean): Buffer[] => {
  if (m === leaves.length) return whole ? [] : [plainTreeRoot(leaves)]
  const k = split(leaves.length)
  return m <= k
    ? [...subProof(m, leaves.slice(0, k), whole), plainTreeRoot(leaves.slice(k))]
    : [...subProof(m - k, leaves.slice(k), false), plainTreeRoot(leaves.slice(0, k))]
}

/** PROOF(m, D[n]); nothing for the empty tree. */
export const plainConsistencyProof = (m: number, leaves: readonly Buffer[]): Buffer[] =>
  m === 0 ? [] : subProof(m, leaves, true)

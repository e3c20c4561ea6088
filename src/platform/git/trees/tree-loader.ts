import type { GitBlobReader } from '../blobs.ts'
import { type GitPlace, gitFaults } from '../run.ts'

/** No real tree is larger; a larger one would be kept in memory whole. */
const MAX_TREE_BYTES = 64 * 1024 * 1024

/** Trees by id. Those of one request are kept for later. */
interface TreeLoader {
  /** Reads trees by name, such as `HEAD:src`; their ids, undefined where a name is of no tree. */
  readonly fetchTrees: (names: readonly string[]) => Promise<readonly (string | undefined)[]>
  readonly load: (oid: string) => Promise<Buffer>
}

export const treeLoader = (blobs: GitBlobReader, place: GitPlace, signal: AbortSignal): TreeLoader => {
  const trees = new Map<string, Buffer>()
  const fetchTrees = async (names: readonly string[]): Promise<(string | undefined)[]> => {
    const oids: (string | undefined)[] = []
    for await (const object of blobs.objects(place, names, signal, MAX_TREE_BYTES)) {
      const isTree = object?.kind === 'tree' && object.bytes.length < MAX_TREE_BYTES
      if (isTree) trees.set(object.oid, object.bytes)
      oids.push(isTree ? object.oid : undefined)
    }
    return oids
  }
  const load = async (oid: string): Promise<Buffer> => {
    if (!trees.has(oid)) await fetchTrees([oid])
    const bytes = trees.get(oid)
    if (bytes === undefined) throw gitFaults.failed(`the tree ${oid} cannot be read`)
    return bytes
  }
  return { fetchTrees, load }
}

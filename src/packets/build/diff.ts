import type { Doc } from '../format/docs.ts'
import type { Manifest } from '../format/manifest.ts'
import type { Matrix } from '../format/vectors.ts'

export interface DiffSide {
  readonly manifest: Manifest
  readonly docs: Iterable<Doc>
  readonly vectors?: Matrix
}

interface Difference {
  readonly same: boolean
  readonly versions: readonly [string, string]
  readonly models: readonly [string, string]
  /** Chunks compared by text, regardless of position. */
  readonly chunks: { readonly added: number; readonly removed: number; readonly kept: number }
  readonly files: {
    readonly added: readonly string[]
    readonly removed: readonly string[]
    readonly changed: readonly string[]
  }
  /**
   * Norm of the difference of all vectors, divided by the number of values; null when they cannot be compared.
   */
  readonly drift: number | null
}

/** The texts of every file, and how often each text occurs. */
const readSide = (docs: Iterable<Doc>) => {
  const files = new Map<string, string[]>()
  const texts = new Map<string, number>()
  for (const { id, text, metadata } of docs) {
    const path = typeof metadata.path === 'string' ? metadata.path : id
    files.set(path, [...(files.get(path) ?? []), text])
    texts.set(text, (texts.get(text) ?? 0) + 1)
  }
  return { files, texts }
}

const vectorDrift = (a: Matrix | undefined, b: Matrix | undefined): number | null => {
  if (a === undefined || b === undefined || a.rows !== b.rows || a.dim !== b.dim) return null
  let sum = 0
  for (let i = 0; i < a.values.length; i++) sum += ((a.values[i] as number) - (b.values[i] as number)) ** 2
  return a.values.length === 0 ? 0 : Math.sqrt(sum) / a.values.length
}

const inOrder = (paths: Iterable<string>): readonly string[] => [...paths].sort((a, b) => (a < b ? -1 : 1))

const total = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((a, b) => a + b, 0)

/** The differences of two packets. */
export const diffPackets = (first: DiffSide, second: DiffSide): Difference => {
  const [a, b] = [readSide(first.docs), readSide(second.docs)]
  const kept = [...a.texts].reduce((sum, [text, count]) => sum + Math.min(count, b.texts.get(text) ?? 0), 0)
  const chunks = { added: total(b.texts) - kept, removed: total(a.texts) - kept, kept }
  const differs = (path: string) => JSON.stringify(a.files.get(path)) !== JSON.stringify(b.files.get(path))
  const files = {
    added: inOrder([...b.files.keys()].filter((path) => !a.files.has(path))),
    removed: inOrder([...a.files.keys()].filter((path) => !b.files.has(path))),
    changed: inOrder([...a.files.keys()].filter((path) => b.files.has(path) && differs(path))),
  }
  const models = [first.manifest.embedding.model, second.manifest.embedding.model] as const
  // Vectors of two models cannot be compared.
  const drift = models[0] === models[1] ? vectorDrift(first.vectors, second.vectors) : null
  const unlike = Object.values(files).some((list) => list.length > 0)
  return {
    same: !unlike && chunks.added + chunks.removed === 0 && models[0] === models[1] && drift === 0,
    versions: [first.manifest.cpm?.version ?? '', second.manifest.cpm?.version ?? ''],
    models,
    chunks,
    files,
    drift,
  }
}

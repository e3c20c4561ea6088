import { digestBytes } from '../kernel/encoding/hash.ts'
import { holdsOnly } from './editors/edit-json.ts'
import { cutSpans, UneditableFile } from './editors/insertion.ts'
import type { WrittenFile } from './plan.ts'
import type { SetupFile, SetupPlaces } from './ports.ts'
import type { SetupRecord } from './record.ts'
import { decodeTarget, encodeTarget, showTarget, type TargetFile } from './target-file.ts'

export interface UndoReport {
  /** Files that are as they were before, or without our entries. */
  readonly restored: readonly string[]
  /** Files that are gone, because they were ours. */
  readonly removed: readonly string[]
  /** Files with an entry that was edited, or that cannot be read: they are left alone. */
  readonly left: readonly { readonly path: string; readonly why: string }[]
}

/** What is to become of a file. `removed` is a file that was ours alone. */
type Outcome = { readonly text: string } | 'removed' | 'nothing' | { readonly left: string }

/** Takes the recorded changes back, the last one first, as long as the file is as they left it. */
const undoRecorded = (target: TargetFile, bytes: Buffer, changes: readonly WrittenFile[]): Outcome => {
  let present = bytes
  let outcome: Outcome = 'nothing'
  for (const { after, before, steps, created } of [...changes].reverse()) {
    if (digestBytes(present) !== after) break
    if (created) return 'removed'
    const text = [...steps].reverse().reduce(cutSpans, decodeTarget({ bytes: present, mode: 0 }, target))
    const restored = encodeTarget(text, target)
    if (digestBytes(restored) !== before) break
    present = restored
    outcome = { text }
  }
  return outcome
}

/** Whether nothing is left in a file but what a new one begins with. */
const isEmptied = ({ empty }: TargetFile, text: string): boolean => {
  if (text.trim() === empty.trim()) return true
  return empty.startsWith('{') && holdsOnly(text, JSON.parse(empty))
}

/** Removes the entries by their shape. */
const undoByShape = async (
  target: TargetFile,
  bytes: Buffer,
  changes: readonly WrittenFile[],
): Promise<Outcome> => {
  const before = decodeTarget({ bytes, mode: 0 }, target)
  const written = new Set(changes.flatMap(({ steps }) => steps.flat().map(({ digest }) => digest)))
  let text = before
  let edited = 0
  for (const entry of [...target.entries].reverse()) {
    const removal = await entry.remove(text, written)
    if (removal === 'edited') edited += 1
    else if (removal !== 'absent') text = removal.text
  }
  if (edited > 0) return { left: 'an entry of Warrant in it was edited' }
  if (text === before) return 'nothing'
  const isOurs = changes.length === 0 || changes.some(({ created }) => created)
  return isOurs && isEmptied(target, text) ? 'removed' : { text }
}

const undoFile = async (
  target: TargetFile,
  file: SetupFile,
  changes: readonly WrittenFile[],
): Promise<Outcome> => {
  const outcome = undoRecorded(target, file.bytes, changes)
  if (outcome === 'removed' || (changes.length === 1 && outcome !== 'nothing')) return outcome
  const bytes =
    typeof outcome === 'object' && 'text' in outcome ? encodeTarget(outcome.text, target) : file.bytes
  const rest = await undoByShape(target, bytes, changes)
  return rest === 'nothing' ? outcome : rest
}

/**
 * Takes back what `warrant init` wrote. With a record, only files that it names are changed; without one, entries are
 * recognised by their shape.
 */
export const undoSetup = async (
  targets: readonly TargetFile[],
  record: SetupRecord | undefined,
  places: SetupPlaces,
): Promise<UndoReport> => {
  const restored: string[] = []
  const removed: string[] = []
  const left: { path: string; why: string }[] = []
  for (const target of targets) {
    const path = showTarget(target)
    const changes = record?.files.get(path) ?? []
    if (record !== undefined && changes.length === 0 && !target.always) continue
    const port = places[target.place]
    try {
      const file = await port.read(target.path)
      const outcome = file === undefined ? 'nothing' : await undoFile(target, file, changes)
      if (outcome === 'removed') {
        await port.remove(target.path)
        removed.push(path)
      } else if (outcome !== 'nothing' && 'left' in outcome) left.push({ path, why: outcome.left })
      else if (outcome !== 'nothing') {
        await port.replace(target.path, encodeTarget(outcome.text, target))
        restored.push(path)
      }
    } catch (thrown) {
      if (!(thrown instanceof UneditableFile)) throw thrown
      // Without a record there is nothing that says that an entry of ours is in it.
      if (changes.length > 0) left.push({ path, why: thrown.message })
    }
  }
  // After all files: one file may have made the folder of another.
  for (const target of targets) {
    const changes = record?.files.get(showTarget(target)) ?? []
    const folders = [...new Set(changes.flatMap((change) => change.folders))].sort().reverse()
    for (const folder of folders) await places[target.place].removeFolder(folder)
  }
  return { restored, removed, left }
}

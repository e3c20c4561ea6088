import { digestBytes } from '../../kernel/encoding/hash.ts'
import { Fault } from '../../kernel/fault.ts'
import {
  findBlockInsertion,
  type HookName,
  isBlockCurrent,
  isBlockOutdated,
  readBlock,
} from '../git-hooks/hook-script.ts'
import { cutSpans, type FileEntry, type Removal, UneditableFile } from './insertion.ts'

/** A hook that cannot take the block: a program, or one with broken markers. */
const orUneditable = <T>(find: () => T): T => {
  try {
    return find()
  } catch (thrown) {
    throw thrown instanceof Fault ? new UneditableFile(thrown.message) : thrown
  }
}

/** The managed block of a hook. The text of the file is Latin-1: one character a byte. */
export const scriptBlock = (name: HookName, block: string): FileEntry => ({
  shown: block.trimEnd(),
  insert: async (text) => {
    const insertion = orUneditable(() => findBlockInsertion(text, name, block))
    return insertion === undefined ? [] : [insertion]
  },
  withoutOutdated: (text) => {
    const found = orUneditable(() => readBlock(text))
    return found && isBlockOutdated(text, name, block) ? cutSpans(text, [found]) : text
  },
  remove: async (text, written): Promise<Removal> => {
    const found = orUneditable(() => readBlock(text))
    if (found === undefined) return 'absent'
    const isWritten =
      written.size === 0 ||
      written.has(digestBytes(found.text)) ||
      isBlockCurrent(Buffer.from(text, 'latin1'), name)
    return isWritten ? { text: cutSpans(text, [found]) } : 'edited'
  },
})

/** Lines at the end of a list such as `.git/info/exclude`. Those that are there already are not added. */
export const listLines = (lines: readonly string[]): FileEntry => ({
  shown: lines.join('\n'),
  insert: async (text) => {
    if (text.includes('\0')) throw new UneditableFile('it is not a text file')
    const present = new Set(text.split(/\r?\n/))
    const missing = lines.filter((line) => !present.has(line))
    const gap = text === '' || text.endsWith('\n') ? '' : '\n'
    return missing.length === 0 ? [] : [{ at: text.length, text: `${gap}${missing.join('\n')}\n` }]
  },
  remove: async (text): Promise<Removal> => {
    const kept = text.split(/(?<=\n)/).filter((line) => !lines.includes(line.replace(/\r?\n$/, '')))
    const left = kept.join('')
    return left === text ? 'absent' : { text: left }
  },
})

/** A whole file of ours, which is created where there is none. */
export const wholeFile = (content: string, isOurs: (text: string) => boolean): FileEntry => ({
  shown: content.trimEnd(),
  insert: async (text) => (text === '' ? [{ at: 0, text: content }] : []),
  remove: async (text, written): Promise<Removal> => {
    if (text === '') return 'absent'
    return written.has(digestBytes(text)) || isOurs(text) ? { text: '' } : 'edited'
  },
})

import { fstatSync } from 'node:fs'
import type { PushedRef } from '../../gate/facts/scope.ts'
import { gateFaults } from '../../gate/faults.ts'

/** How long to wait for the first byte of a pipe. Git writes the refs when it starts the hook, long before the gate reads them. */
const FIRST_BYTE_MS = 1_000
const MAX_BYTES = 16 * 1024 * 1024

const LINE = /^(.+) ([0-9a-f]{40}|[0-9a-f]{64}) (\S+) ([0-9a-f]{40}|[0-9a-f]{64})$/

const idUnlessZero = (id: string): string | undefined => (/^0+$/.test(id) ? undefined : id)

/** The lines that git passes to the hook pre-push. */
export const parsePushedRefs = (text: string): readonly PushedRef[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [, localRef, localId, remoteRef, remoteId] = LINE.exec(line) ?? []
      if (
        localRef === undefined ||
        localId === undefined ||
        remoteRef === undefined ||
        remoteId === undefined
      )
        throw gateFaults.push_invalid('stdin holds something other than the refs of a push', {
          fix: 'Run the gate with `</dev/null`, or pass on what git gives to the hook pre-push.',
        })
      return { localRef, localId: idUnlessZero(localId), remoteRef, remoteId: idUnlessZero(remoteId) }
    })

/** Only a pipe or a file can hold refs. A terminal would wait for the user. */
const mayHoldRefs = (): boolean => {
  try {
    const stats = fstatSync(0)
    return stats.isFIFO() || stats.isSocket() || stats.isFile()
  } catch {
    return false
  }
}

/** All of stdin; empty when nothing comes. */
const readStdin = (): Promise<string> =>
  new Promise((resolve, reject) => {
    const { stdin } = process
    const parts: Buffer[] = []
    let size = 0
    const settle = () => {
      clearTimeout(timer)
      stdin.destroy()
      resolve(Buffer.concat(parts).toString('utf8'))
    }
    // An open pipe that stays empty belongs to the program that started this one.
    const timer = setTimeout(settle, FIRST_BYTE_MS)
    stdin.on('data', (part: Buffer) => {
      clearTimeout(timer)
      size += part.length
      if (size <= MAX_BYTES) parts.push(part)
      else reject(gateFaults.push_invalid('stdin holds more than the refs of a push'))
    })
    stdin.once('end', settle)
    stdin.once('error', settle)
  })

/** The refs of the push that runs the gate as its hook; undefined when the gate was started in another way. */
export const readPushedRefs = async (): Promise<readonly PushedRef[] | undefined> => {
  if (!mayHoldRefs()) return undefined
  const refs = parsePushedRefs(await readStdin())
  return refs.length === 0 ? undefined : refs
}

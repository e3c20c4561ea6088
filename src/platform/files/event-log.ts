import { closeSync, constants, openSync, writeSync } from 'node:fs'
import { readdir, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { digestBytes } from '../../kernel/encoding/hash.ts'
import { readRegularFile } from '../jail/async.ts'
import { makeFolders } from './make-folders.ts'
import { userRecord } from './user-state.ts'

/** Lines of text by day, in a folder of this user: written with one call each, so that several processes may write. */

const DAY = /^\d{4}-\d\d-\d\d(?=\.jsonl$)/
const MAX_TOTAL_BYTES = 100 * 1024 * 1024
const MAX_DAY_BYTES = 256 * 1024 * 1024
export const KEPT_MS = 90 * 24 * 3_600_000
const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW = 0 } = constants

/** A part of a day's lines that the log of decisions names by its digest. It ends at 0 where the day was removed. */
export interface SealedPart {
  readonly day: string
  readonly from: number
  readonly to: number
  readonly digest: string
}

export class EventLog {
  readonly #folder: string
  readonly #sealed

  constructor(folder: string) {
    this.#folder = folder
    this.#sealed = userRecord(() => join(folder, 'sealed.json'))
  }

  #path(day: string): string {
    return join(this.#folder, `${day}.jsonl`)
  }

  /** Adds a line to the day of `now`. A fault of the file system is thrown. */
  append(line: string, now: number): void {
    const path = this.#path(new Date(now).toISOString().slice(0, 10))
    const open = () => openSync(path, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600)
    let file: number
    try {
      file = open()
    } catch {
      makeFolders(this.#folder, 0o700)
      file = open()
    }
    try {
      writeSync(file, `${line}\n`)
    } finally {
      closeSync(file)
    }
  }

  /** The days that have lines, newest first. */
  async days(): Promise<readonly string[]> {
    const names = await readdir(this.#folder).catch(() => [])
    return names.flatMap((name) => DAY.exec(name)?.[0] ?? []).sort((a, b) => (a < b ? 1 : -1))
  }

  /** The bytes of a day; undefined where they are gone. */
  async read(day: string): Promise<Buffer | undefined> {
    return readRegularFile(this.#path(day), MAX_DAY_BYTES).catch(() => undefined)
  }

  /** How many bytes of each day are sealed. */
  async sealedBytes(): Promise<ReadonlyMap<string, number>> {
    const known = await this.#sealed.read()
    const entries = Object.entries(known !== null && typeof known === 'object' ? known : {})
    return new Map(entries.filter((entry): entry is [string, number] => Number.isSafeInteger(entry[1])))
  }

  /** Passes what was not sealed yet to `seal`, and removes days that are too old or too many. */
  async sealWith(seal: (part: SealedPart) => Promise<boolean>, now: number): Promise<void> {
    const days = await this.days()
    if (days.length === 0) return
    const sealed = new Map(await this.sealedBytes())
    let total = 0
    for (const day of days) {
      const { size } = await stat(this.#path(day)).catch(() => ({ size: 0 }))
      total += size
      if (now - Date.parse(day) > KEPT_MS || total > MAX_TOTAL_BYTES) {
        if (!(await seal({ day, from: 0, to: 0, digest: digestBytes('') }))) continue
        await unlink(this.#path(day)).catch(() => {})
        sealed.delete(day)
        continue
      }
      const from = sealed.get(day) ?? 0
      if (size <= from) continue
      const bytes = await this.read(day)
      const to = (bytes?.lastIndexOf(10) ?? -1) + 1
      if (bytes === undefined || to <= from) continue
      if (await seal({ day, from, to, digest: digestBytes(bytes.subarray(from, to)) })) sealed.set(day, to)
    }
    await this.#sealed.write(Object.fromEntries(sealed))
  }
}

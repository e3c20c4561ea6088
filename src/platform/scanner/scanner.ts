import { availableParallelism } from 'node:os'
import type { CompiledRule, FileContent, Scanner, ScanReport } from '../../gate/ports.ts'
import { isBuiltIn } from '../syntax/ast-grep.ts'
import { type ScanGroup, ScanPlan, toMatches } from './plan.ts'
import { ScanPool, type ScanResult } from './pool.ts'
import { type FileScan, prepare, scanFile } from './scan-file.ts'

export interface ScannerOptions {
  /** The built program of a scanning child. */
  readonly worker: string
  readonly limits?: Partial<ScannerLimits>
}

export interface ScannerLimits {
  /** Longest a file may take, in milliseconds. */
  readonly fileMs: number
  /** Largest file that is read, in bytes. */
  readonly fileBytes: number
  /** How much is read in this process before children are worth their start. */
  readonly inlineFiles: number
  readonly inlineBytes: number
  readonly children: number
}

const USUAL: ScannerLimits = {
  fileMs: 2_000,
  fileBytes: 2 * 1024 * 1024,
  inlineFiles: 24,
  inlineBytes: 64 * 1024,
  children: availableParallelism(),
}

/** How much may be under way: enough to keep all children busy, little enough to hold in memory. */
const WINDOW_FILES = 96
const WINDOW_BYTES = 16 * 1024 * 1024

const NOTHING = { hits: [], comments: [] }

const OPENING = new Set([...'([{<`'].map((char) => char.charCodeAt(0)))
const CLOSING = new Set([...')]}>'].map((char) => char.charCodeAt(0)))
/** Deeper than people write, and far from what a parser takes long over. */
const DEEPEST = 256

/** Whether brackets are nested no deeper than people nest them, or at least do not look it. */
const isShallow = (bytes: Uint8Array): boolean => {
  let depth = 0
  for (const byte of bytes) {
    if (OPENING.has(byte)) depth += 1
    else if (CLOSING.has(byte) && depth > 0) depth -= 1
    if (depth > DEEPEST) return false
  }
  return true
}

/** Nothing can stop a parser that runs in this process: it gets what cannot keep it. */
const isTame = ({ trusted, readings }: ScanGroup, bytes: Uint8Array): boolean =>
  trusted && readings.every(({ grammar }) => isBuiltIn(grammar)) && isShallow(bytes)

const toReport = (path: string, group: ScanGroup, result: ScanResult): ScanReport => {
  if (result.end === 'binary') return { path, outcome: 'skipped', why: 'binary' }
  const { hits, comments, broken, cut }: FileScan = result.examined ?? NOTHING
  const found = { path, matches: toMatches(hits, group), comments }
  if (result.end === 'given-up') return { ...found, outcome: 'given-up', why: result.why }
  if (cut) return { ...found, outcome: 'given-up', why: 'matches' }
  if (broken === undefined) return { ...found, outcome: 'scanned' }
  return { ...found, outcome: 'broken', line: broken[0] + 1, column: broken[1] + 1 }
}

/** One run over many files. */
class Scan {
  readonly #plan: ScanPlan
  readonly #limits: ScannerLimits
  readonly #pool: ScanPool
  readonly #ready = new Map<number, ReturnType<typeof prepare>>()
  #files = 0
  #bytes = 0

  constructor(plan: ScanPlan, limits: ScannerLimits, pool: ScanPool) {
    this.#plan = plan
    this.#limits = limits
    this.#pool = pool
  }

  async look({ path, bytes }: FileContent): Promise<ScanReport> {
    const group = this.#plan.courseFor(path)
    if (group === undefined) return { path, outcome: 'skipped', why: 'unmatched' }
    if (bytes.length > this.#limits.fileBytes) {
      return { path, outcome: 'given-up', why: 'size', matches: [], comments: [] }
    }
    this.#files += 1
    this.#bytes += bytes.length
    const small = this.#files <= this.#limits.inlineFiles && this.#bytes <= this.#limits.inlineBytes
    const here = small && isTame(group, bytes)
    const result = here ? this.#here(group, bytes) : await this.#pool.look(group, bytes)
    return toReport(path, group, result)
  }

  /** Our own rules on a little tame text need no child: starting one takes longer than the work. */
  #here(group: ScanGroup, bytes: Uint8Array): ScanResult {
    const readings = this.#ready.get(group.id) ?? prepare(group.readings, this.#plan.probes)
    this.#ready.set(group.id, readings)
    const examined = scanFile(bytes, readings, () => {})
    return examined === 'binary' ? { end: 'binary' } : { end: 'examined', examined }
  }
}

/** Reports in the order of the files, whatever order they were finished in. */
async function* inOrder(
  files: AsyncIterable<FileContent>,
  look: (file: FileContent) => Promise<ScanReport>,
  trouble: Promise<never>,
): AsyncGenerator<ScanReport> {
  const window: { readonly report: Promise<ScanReport>; readonly size: number }[] = []
  const source = files[Symbol.asyncIterator]()
  let held = 0
  try {
    for (let open = true; open || window.length > 0; ) {
      while (open && window.length < WINDOW_FILES && held < WINDOW_BYTES) {
        const next = await Promise.race([source.next(), trouble])
        if (next.done) open = false
        else {
          held += next.value.bytes.length
          window.push({ report: look(next.value), size: next.value.bytes.length })
        }
      }
      const first = window.shift()
      if (first === undefined) continue
      yield await Promise.race([first.report, trouble])
      held -= first.size
    }
  } finally {
    // Not waited for: a source that is stuck must not hold up an end that somebody asked for.
    source.return?.().catch(() => {})
  }
}

/** Finds matches of rules with ast-grep, in this process or in children that can be stopped. */
export const astScanner = ({ worker, limits }: ScannerOptions): Scanner => ({
  async *scan(files: AsyncIterable<FileContent>, rules: readonly CompiledRule[], signal: AbortSignal) {
    const whole = { ...USUAL, ...limits }
    const plan = new ScanPlan(rules)
    signal.throwIfAborted()
    let fail: (reason: unknown) => void = () => {}
    const trouble = new Promise<never>((_, reject) => {
      fail = reject
    })
    trouble.catch(() => {})
    const pool = new ScanPool(worker, plan, { size: whole.children, fileMs: whole.fileMs }, fail)
    const abort = () => fail(signal.reason)
    signal.addEventListener('abort', abort)
    try {
      const scan = new Scan(plan, whole, pool)
      yield* inOrder(files, (file) => scan.look(file), trouble)
    } finally {
      signal.removeEventListener('abort', abort)
      await pool.close()
    }
  },
})

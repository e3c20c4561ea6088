import { availableParallelism } from 'node:os'
import { type FileContent, MAX_FILE_BYTES, type Scanner, type ScanReport } from '../../gate/ports.ts'
import type { CompiledRule } from '../../gate/rules/compiled-rule.ts'
import { unlessFailed } from '../../kernel/async/unless-failed.ts'
import { readSource } from '../../kernel/text/decode.ts'
import { isBuiltIn } from '../syntax/ast-grep.ts'
import { TextSearches } from './match-text.ts'
import { type ScanGroup, ScanPlan, toMatches } from './plan.ts'
import { ScanPool, type ScanResult } from './pool.ts'
import { type FileScan, IGNORE_WORD, type PreparedPasses, prepare, scanFile } from './scan-file.ts'
import { digestRules, resultKey, type ScanResults, toStored } from './scan-results.ts'

const OPENING = new Set([...'([{<`'].map((char) => char.charCodeAt(0)))
const CLOSING = new Set([...')]}>'].map((char) => char.charCodeAt(0)))
/** Deeper than hand-written code, and far below the depth at which parsers become slow. */
const MAX_NESTING = 256

/** Whether brackets are nested at most `MAX_NESTING` deep; brackets in strings and comments count too. */
const isShallow = (bytes: Uint8Array): boolean => {
  let depth = 0
  for (const byte of bytes) {
    if (OPENING.has(byte)) depth += 1
    else if (CLOSING.has(byte) && depth > 0) depth -= 1
    if (depth > MAX_NESTING) return false
  }
  return true
}

/** In-process parsing cannot be interrupted: only trusted rules, built-in grammars and shallow files run here. */
const canScanInline = ({ trusted, passes }: ScanGroup, bytes: Uint8Array): boolean =>
  trusted && (passes.length === 0 || (passes.every(({ grammar }) => isBuiltIn(grammar)) && isShallow(bytes)))

interface ScannerOptions {
  /** The built program of a scanning child. */
  readonly worker: string
  readonly limits?: Partial<ScannerLimits>
  readonly known?: KnownResults
}

/** Results of earlier scans, of this program or of another one with the same digest. */
interface KnownResults {
  /** The digest of the program. */
  readonly program: string
  /** So many files are scanned before the results are opened: for a small change that takes longer than the scan. */
  readonly after: number
  readonly open: () => Promise<ScanResults>
}

export interface ScannerLimits {
  /** Longest time for one file, in milliseconds. */
  readonly fileMs: number
  /** Largest file that is scanned, in bytes. */
  readonly fileBytes: number
  /** How much is scanned in this process before child processes are started. */
  readonly inlineFiles: number
  readonly inlineBytes: number
  readonly children: number
}

const DEFAULT_LIMITS: ScannerLimits = {
  fileMs: 5_000,
  fileBytes: 2 * 1024 * 1024,
  inlineFiles: 24,
  inlineBytes: 64 * 1024,
  children: availableParallelism(),
}

/** Files in flight at once: enough to keep all children busy, few enough for memory. */
const WINDOW_FILES = 96
const WINDOW_BYTES = 16 * 1024 * 1024

/** Files that no rule parses; whether they parse is told without one. */
const DATA_NAME = /\.(?:jsonc?|ya?ml)$/

const NO_HITS: FileScan = { hits: [], comments: [] }

const toReport = (path: string, group: ScanGroup, result: ScanResult): ScanReport => {
  const { hits, comments, broken, gap = false, cut, doubt } = result.scan ?? NO_HITS
  const found = { path, packs: group.packs, matches: toMatches(hits, group), comments }
  if (result.end === 'given-up') return { ...found, outcome: 'given-up', why: result.why }
  if (doubt !== undefined) return { ...found, outcome: 'given-up', why: doubt }
  if (cut) return { ...found, outcome: 'given-up', why: 'matches' }
  if (broken === undefined) return { ...found, outcome: 'scanned' }
  return { ...found, outcome: 'broken', gap, line: broken[0] + 1, column: broken[1] + 1 }
}

/** One scan of many files. */
class Scan {
  readonly #plan: ScanPlan
  readonly #limits: ScannerLimits
  readonly #pool: ScanPool
  readonly #searches: TextSearches
  readonly #prepared = new Map<number, PreparedPasses>()
  readonly #known: KnownResults | undefined
  readonly #digests = new Map<number, string>()
  #results: Promise<ScanResults> | undefined
  #seen = 0
  #files = 0
  #bytes = 0

  constructor(plan: ScanPlan, limits: ScannerLimits, pool: ScanPool, known: KnownResults | undefined) {
    this.#plan = plan
    this.#known = known
    this.#searches = new TextSearches(plan.matchers)
    this.#limits = limits
    this.#pool = pool
  }

  async scan(file: FileContent): Promise<ScanReport> {
    const { path } = file
    const group = this.#plan.groupFor(file)
    if (group === undefined) return { path, outcome: 'skipped' }
    const missing = this.#plan.missingGrammarOf(group)
    if (missing !== undefined)
      return { ...(await this.#scanTextOnly(group, file)), outcome: 'unparsed', missing }
    this.#seen += 1
    const known = this.#known
    if (known === undefined || this.#seen <= known.after) return this.#scanWith(group, file)
    this.#results ??= known.open()
    const results = await this.#results
    const key = resultKey(known.program, this.#digestOf(group), path, file.bytes)
    const found = results.get(key)
    if (found !== undefined) return { path, packs: group.packs, ...found }
    const report = await this.#scanWith(group, file)
    const stored = toStored(report)
    if (stored !== undefined) results.put(key, stored)
    return report
  }

  #digestOf(group: ScanGroup): string {
    const digest = this.#digests.get(group.id) ?? digestRules([...group.rules.values()].flat())
    this.#digests.set(group.id, digest)
    return digest
  }

  async #scanWith(group: ScanGroup, file: FileContent): Promise<ScanReport> {
    const { path } = file
    if (group.passes.length === 0) return this.#scanText(group, file)
    if (file.bytes.length <= this.#limits.fileBytes)
      return toReport(path, group, await this.#run(group, file))
    return { ...(await this.#scanTextOnly(group, file)), outcome: 'given-up', why: 'size' }
  }

  /** What rules about text find in a file that other rules would parse. */
  async #scanTextOnly(group: ScanGroup, file: FileContent) {
    const { packs, ...rest } = this.#plan.textGroup(group)
    const report = await this.#scanText({ packs, ...rest }, file)
    const none = { path: file.path, packs, matches: [], comments: [] }
    return report.outcome === 'skipped' ? none : report
  }

  /** A file that is not parsed. One in which no keyword occurs is not searched at all. */
  async #scanText(group: ScanGroup, file: FileContent): Promise<ScanReport> {
    const { path, bytes } = file
    if (bytes.length >= MAX_FILE_BYTES) return { path, outcome: 'skipped', why: 'size' }
    const { text, doubt } = readSource(bytes, '')
    const isCandidate = this.#searches.candidates(text).some((index) => group.texts.includes(index))
    const isSearched = isCandidate || text.includes(IGNORE_WORD)
    const result = isSearched ? await this.#run(group, file) : { end: 'scanned' as const, scan: NO_HITS }
    if (result.end !== 'scanned' || file.secretsOnly || doubt !== undefined || !DATA_NAME.test(path))
      return toReport(path, group, result)
    const { findDataError } = await import('./data-error.ts')
    const broken = await findDataError(path, text)
    return toReport(path, group, broken ? { ...result, scan: { ...result.scan, broken } } : result)
  }

  async #run(group: ScanGroup, file: FileContent): Promise<ScanResult> {
    this.#files += 1
    this.#bytes += file.bytes.length
    const small = this.#files <= this.#limits.inlineFiles && this.#bytes <= this.#limits.inlineBytes
    const result = small && canScanInline(group, file.bytes) ? this.#scanInline(group, file) : undefined
    // A child tells whether the error is one of the grammar: it can be stopped.
    const isSettled = result !== undefined && result.scan?.broken === undefined
    return isSettled ? result : this.#pool.scan(group, file)
  }

  /** A few small files need no child process: starting one takes longer than the scan. */
  #scanInline(group: ScanGroup, file: FileContent): ScanResult {
    const passes = this.#prepared.get(group.id) ?? prepare(group, this.#plan.matchers, this.#searches)
    this.#prepared.set(group.id, passes)
    return { end: 'scanned', scan: scanFile(file, passes, () => {}) }
  }
}

/** Yields reports in the order of the files, with a bounded window of files in flight. */
async function* inOrder(
  files: AsyncIterable<FileContent>,
  scan: (file: FileContent) => Promise<ScanReport>,
  failure: Promise<never>,
): AsyncGenerator<ScanReport> {
  const window: { readonly report: Promise<ScanReport>; readonly size: number }[] = []
  const source = files[Symbol.asyncIterator]()
  const wait = unlessFailed(failure)
  let held = 0
  try {
    for (let open = true; open || window.length > 0; ) {
      while (open && window.length < WINDOW_FILES && held < WINDOW_BYTES) {
        const next = await wait(source.next())
        if (next.done) open = false
        else {
          held += next.value.bytes.length
          window.push({ report: scan(next.value), size: next.value.bytes.length })
        }
      }
      const first = window.shift()
      if (first === undefined) continue
      yield await wait(first.report)
      held -= first.size
    }
  } finally {
    // Not awaited: a hung source must not delay cancellation.
    source.return?.().catch(() => {})
  }
}

interface OpenScan {
  readonly scan: Scan
  readonly pool: ScanPool
  readonly fail: (reason: unknown) => void
  readonly failure: Promise<never>
}

const openScan = ({ worker, limits, known }: ScannerOptions, rules: readonly CompiledRule[]): OpenScan => {
  const all = { ...DEFAULT_LIMITS, ...limits }
  const plan = new ScanPlan(rules)
  let fail: (reason: unknown) => void = () => {}
  const failure = new Promise<never>((_, reject) => {
    fail = reject
  })
  failure.catch(() => {})
  const pool = new ScanPool({
    worker,
    plan,
    limits: { size: all.children, fileMs: all.fileMs },
    onFailure: fail,
  })
  return { scan: new Scan(plan, all, pool, known), pool, fail, failure }
}

/** A scanner for many scans by the same rules. */
interface LastingScanner extends Scanner {
  close(): Promise<void>
}

/** The rules of a change and of its base may alternate. */
const MAX_OPEN = 2

/** Keeps the child processes of the last rule sets, each told by its object. A scan that is aborted spoils them. */
export const lastingScanner = (options: ScannerOptions): LastingScanner => {
  const opened = new Map<readonly CompiledRule[], OpenScan>()
  const closeDown = async (most: number) => {
    for (const [rules, { pool }] of [...opened].slice(0, Math.max(0, opened.size - most))) {
      opened.delete(rules)
      await pool.close()
    }
  }
  return {
    async *scan(files, rules, signal) {
      signal.throwIfAborted()
      const one = opened.get(rules) ?? openScan(options, rules)
      opened.delete(rules)
      opened.set(rules, one)
      await closeDown(MAX_OPEN)
      const abort = () => one.fail(signal.reason)
      signal.addEventListener('abort', abort)
      try {
        yield* inOrder(files, (file) => one.scan.scan(file), one.failure)
      } finally {
        signal.removeEventListener('abort', abort)
      }
    },
    close: () => closeDown(0),
  }
}

/** Finds matches with ast-grep, in this process or in child processes that can be killed. */
export const astScanner = (options: ScannerOptions): Scanner => ({
  async *scan(files: AsyncIterable<FileContent>, rules: readonly CompiledRule[], signal: AbortSignal) {
    const scanner = lastingScanner(options)
    try {
      yield* scanner.scan(files, rules, signal)
    } finally {
      await scanner.close()
    }
  },
})

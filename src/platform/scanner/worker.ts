import type { FileContent } from '../../gate/ports.ts'
import { parseText } from '../syntax/ast-grep.ts'
import { TextSearches } from './match-text.ts'
import type { MatcherCheck } from './plan.ts'
import {
  confirmError,
  type FilePasses,
  type FileScan,
  type MatcherSpec,
  type PreparedPasses,
  prepare,
  scanFile,
} from './scan-file.ts'

/** Messages to a worker. Matchers and groups are sent once; files refer to a group by its id. */
export type WorkerRequest =
  | { readonly kind: 'rules'; readonly matchers: readonly MatcherSpec[]; readonly guarded: boolean }
  | { readonly kind: 'check'; readonly checks: readonly MatcherCheck[] }
  | ({ readonly kind: 'group'; readonly id: number } & FilePasses)
  | { readonly kind: 'files'; readonly files: readonly WorkerFile[] }

interface WorkerFile extends FileContent {
  readonly group: number
}

export type WorkerResult = FileScan | 'failed'

/** Messages from a worker. `partial` has the hits of trusted rules in the file that is being scanned. */
export type WorkerResponse =
  | { readonly kind: 'ready' }
  | { readonly kind: 'checked'; readonly problem?: { readonly matcher: number; readonly message: string } }
  | { readonly kind: 'partial'; readonly scan: FileScan }
  | { readonly kind: 'results'; readonly results: readonly WorkerResult[] }

/** Results are sent at least this often, so that the parent can tell a slow file from a hung one. */
const REPORT_MS = 50

const check = (matchers: readonly MatcherSpec[], checks: readonly MatcherCheck[]): WorkerResponse => {
  for (const { matcher, grammar } of checks) {
    try {
      const spec = matchers[matcher]
      if (spec !== undefined && spec.text === undefined) parseText(grammar, '').find(spec.body)
    } catch (cause) {
      const text = cause instanceof Error ? cause.message : String(cause)
      const message = text.replace(/[\s|>-]*\n[\s|>-]*/g, ' ').slice(0, 500)
      return { kind: 'checked', problem: { matcher, message } }
    }
  }
  return { kind: 'checked' }
}

/** The request handler of a scanning child process. `guard` is awaited before user rules run. */
export const scanWorker = (send: (response: WorkerResponse) => void, guard: () => Promise<void>) => {
  let matchers: readonly MatcherSpec[] = []
  let searches = new TextSearches([])
  const groups = new Map<number, PreparedPasses>()
  const scanOne = async (file: WorkerFile, alone: boolean): Promise<WorkerResult> => {
    const passes = groups.get(file.group)
    if (passes === undefined) return 'failed'
    try {
      const found = scanFile(file, passes, (scan) => alone && send({ kind: 'partial', scan }))
      return await confirmError(found, file.bytes, passes.passes[0]?.grammar)
    } catch {
      return 'failed'
    }
  }
  const scanAll = async (files: readonly WorkerFile[]): Promise<void> => {
    let results: WorkerResult[] = []
    let sentAt = performance.now()
    for (const file of files) {
      results.push(await scanOne(file, files.length === 1))
      if (performance.now() - sentAt < REPORT_MS) continue
      send({ kind: 'results', results })
      results = []
      sentAt = performance.now()
    }
    if (results.length > 0) send({ kind: 'results', results })
  }
  return async (request: WorkerRequest): Promise<void> => {
    if (request.kind === 'rules') {
      matchers = request.matchers
      searches = new TextSearches(matchers)
      if (request.guarded) await guard()
      send({ kind: 'ready' })
    } else if (request.kind === 'group') groups.set(request.id, prepare(request, matchers, searches))
    else if (request.kind === 'check') send(check(matchers, request.checks))
    else await scanAll(request.files)
  }
}

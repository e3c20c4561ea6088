import { parseText } from '../syntax/ast-grep.ts'
import type { MatcherCheck } from './plan.ts'
import {
  confirmError,
  type FileScan,
  type GrammarPass,
  type MatcherSpec,
  prepare,
  scanFile,
} from './scan-file.ts'

/** Messages to a worker. Matchers and groups are sent once; files refer to a group by its id. */
export type WorkerRequest =
  | { readonly kind: 'rules'; readonly matchers: readonly MatcherSpec[]; readonly guarded: boolean }
  | { readonly kind: 'check'; readonly checks: readonly MatcherCheck[] }
  | { readonly kind: 'group'; readonly id: number; readonly passes: readonly GrammarPass[] }
  | { readonly kind: 'files'; readonly files: readonly WorkerFile[] }

interface WorkerFile {
  readonly group: number
  readonly bytes: Uint8Array
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
      parseText(grammar, '').find(matchers[matcher]?.body as never)
    } catch (cause) {
      const message = (cause as Error).message.replace(/[\s|>-]*\n[\s|>-]*/g, ' ').slice(0, 500)
      return { kind: 'checked', problem: { matcher, message } }
    }
  }
  return { kind: 'checked' }
}

/** The request handler of a scanning child process. `guard` is awaited before user rules run. */
export const scanWorker = (send: (response: WorkerResponse) => void, guard: () => Promise<void>) => {
  let matchers: readonly MatcherSpec[] = []
  const groups = new Map<number, ReturnType<typeof prepare>>()
  const scanOne = async ({ group, bytes }: WorkerFile, alone: boolean): Promise<WorkerResult> => {
    const passes = groups.get(group) ?? []
    try {
      const found = scanFile(bytes, passes, (scan) => alone && send({ kind: 'partial', scan }))
      return await confirmError(found, bytes, passes[0]?.grammar)
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
      if (request.guarded) await guard()
      send({ kind: 'ready' })
    } else if (request.kind === 'group') groups.set(request.id, prepare(request.passes, matchers))
    else if (request.kind === 'check') send(check(matchers, request.checks))
    else await scanAll(request.files)
  }
}

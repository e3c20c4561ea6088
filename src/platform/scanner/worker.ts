import { parseText } from '../syntax/ast-grep.ts'
import { type FileScan, type GrammarPass, type MatcherSpec, prepare, scanFile } from './scan-file.ts'

/** What the parent says. Bytes travel as they are; rules and courses are told once. */
export type WorkerRequest =
  | { readonly kind: 'rules'; readonly probes: readonly MatcherSpec[]; readonly guarded: boolean }
  | {
      readonly kind: 'check'
      readonly checks: readonly { readonly probe: number; readonly grammar: string }[]
    }
  | { readonly kind: 'course'; readonly id: number; readonly readings: readonly GrammarPass[] }
  | {
      readonly kind: 'files'
      readonly files: readonly { readonly course: number; readonly bytes: Uint8Array }[]
    }

/** What the child answers. `partial` is what trusted rules found in the file under way. */
export type WorkerResponse =
  | { readonly kind: 'ready' }
  | { readonly kind: 'checked'; readonly problem?: { readonly probe: number; readonly message: string } }
  | { readonly kind: 'partial'; readonly examined: FileScan }
  | { readonly kind: 'results'; readonly results: readonly (FileScan | 'binary' | 'failed')[] }

/** The parent hears of finished files at least this often, so that it can tell a slow file from a stuck one. */
const TELL_MS = 50

const check = (
  matchers: readonly MatcherSpec[],
  order: Extract<WorkerRequest, { kind: 'check' }>,
): WorkerResponse => {
  for (const { probe: matcher, grammar } of order.checks) {
    try {
      parseText(grammar, '').find(matchers[matcher]?.body as never)
    } catch (cause) {
      const message = (cause as Error).message.replace(/[\s|>-]*\n[\s|>-]*/g, ' ').slice(0, 500)
      return { kind: 'checked', problem: { probe: matcher, message } }
    }
  }
  return { kind: 'checked' }
}

/** The work of a scanning child: everything it knows comes in orders, all it does is answer. */
export const scanWorker = (answer: (answer: WorkerResponse) => void, guard: () => Promise<void>) => {
  let matchers: readonly MatcherSpec[] = []
  const groups = new Map<number, ReturnType<typeof prepare>>()

  const look = (file: { readonly course: number; readonly bytes: Uint8Array }, alone: boolean) => {
    try {
      const sofar = (examined: FileScan) => alone && answer({ kind: 'partial', examined })
      return scanFile(file.bytes, groups.get(file.course) ?? [], sofar)
    } catch {
      return 'failed'
    }
  }

  const scan = (order: Extract<WorkerRequest, { kind: 'files' }>) => {
    let results: (FileScan | 'binary' | 'failed')[] = []
    let told = performance.now()
    for (const file of order.files) {
      results.push(look(file, order.files.length === 1))
      if (performance.now() - told < TELL_MS) continue
      answer({ kind: 'results', results })
      results = []
      told = performance.now()
    }
    if (results.length > 0) answer({ kind: 'results', results })
  }

  return async (order: WorkerRequest): Promise<void> => {
    if (order.kind === 'rules') {
      matchers = order.probes
      if (order.guarded) await guard()
      answer({ kind: 'ready' })
    } else if (order.kind === 'course') groups.set(order.id, prepare(order.readings, matchers))
    else if (order.kind === 'check') answer(check(matchers, order))
    else scan(order)
  }
}

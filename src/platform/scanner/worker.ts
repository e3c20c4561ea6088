import { parseText } from '../syntax/ast-grep.ts'
import { type Examined, examine, type Probe, prepare, type Reading } from './scan-file.ts'

/** What the parent says. Bytes travel as they are; rules and courses are told once. */
export type Order =
  | { readonly kind: 'rules'; readonly probes: readonly Probe[]; readonly guarded: boolean }
  | {
      readonly kind: 'check'
      readonly checks: readonly { readonly probe: number; readonly grammar: string }[]
    }
  | { readonly kind: 'course'; readonly id: number; readonly readings: readonly Reading[] }
  | {
      readonly kind: 'files'
      readonly files: readonly { readonly course: number; readonly bytes: Uint8Array }[]
    }

/** What the child answers. `partial` is what trusted rules found in the file under way. */
export type Answer =
  | { readonly kind: 'ready' }
  | { readonly kind: 'checked'; readonly problem?: { readonly probe: number; readonly message: string } }
  | { readonly kind: 'partial'; readonly examined: Examined }
  | { readonly kind: 'results'; readonly results: readonly (Examined | 'binary' | 'failed')[] }

/** The parent hears of finished files at least this often, so that it can tell a slow file from a stuck one. */
const TELL_MS = 50

const check = (probes: readonly Probe[], order: Extract<Order, { kind: 'check' }>): Answer => {
  for (const { probe, grammar } of order.checks) {
    try {
      parseText(grammar, '').find(probes[probe]?.body as never)
    } catch (cause) {
      const message = (cause as Error).message.replace(/[\s|>-]*\n[\s|>-]*/g, ' ').slice(0, 500)
      return { kind: 'checked', problem: { probe, message } }
    }
  }
  return { kind: 'checked' }
}

/** The work of a scanning child: everything it knows comes in orders, all it does is answer. */
export const scannerChild = (answer: (answer: Answer) => void, guard: () => Promise<void>) => {
  let probes: readonly Probe[] = []
  const courses = new Map<number, ReturnType<typeof prepare>>()

  const look = (file: { readonly course: number; readonly bytes: Uint8Array }, alone: boolean) => {
    try {
      const sofar = (examined: Examined) => alone && answer({ kind: 'partial', examined })
      return examine(file.bytes, courses.get(file.course) ?? [], sofar)
    } catch {
      return 'failed'
    }
  }

  const scan = (order: Extract<Order, { kind: 'files' }>) => {
    let results: (Examined | 'binary' | 'failed')[] = []
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

  return async (order: Order): Promise<void> => {
    if (order.kind === 'rules') {
      probes = order.probes
      if (order.guarded) await guard()
      answer({ kind: 'ready' })
    } else if (order.kind === 'course') courses.set(order.id, prepare(order.readings, probes))
    else if (order.kind === 'check') answer(check(probes, order))
    else scan(order)
  }
}

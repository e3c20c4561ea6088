import { type ChildProcess, fork } from 'node:child_process'
import { ruleFaults } from '../../gate/rules/rule-faults.ts'
import type { ScanGroup, ScanPlan } from './plan.ts'
import type { FileScan } from './scan-file.ts'
import type { WorkerRequest, WorkerResponse } from './worker.ts'

export interface PoolLimits {
  readonly size: number
  /** Longest silence of a child that is at work. */
  readonly fileMs: number
}

export type ScanResult =
  | { readonly end: 'examined'; readonly examined: FileScan }
  | { readonly end: 'binary' }
  | { readonly end: 'given-up'; readonly why: 'time' | 'crash'; readonly examined?: FileScan }

interface Job {
  readonly course: ScanGroup
  readonly bytes: Uint8Array
  readonly settle: (looked: ScanResult) => void
  /** Set after a child died over a batch: whose fault it was shows only when each file is alone. */
  alone: boolean
}

const BATCH_FILES = 32
const BATCH_BYTES = 256 * 1024
const BOOT_MS = 20_000
const MAX_BOOT_FAILURES = 3
/** A child that outgrows this dies, and the file it had is given up. */
const HEAP_MB = 1_024

interface Child {
  readonly process: ChildProcess
  readonly ended: Promise<void>
  readonly told: Set<number>
  jobs: Job[]
  partial: FileScan | undefined
  timer: NodeJS.Timeout | undefined
  why: 'time' | 'crash'
  state: 'booting' | 'idle' | 'busy' | 'gone'
}

/** Children that read files, each of which can be stopped at any time: native code cannot be interrupted otherwise. */
export class ScanPool {
  readonly #worker: string
  readonly #plan: ScanPlan
  readonly #limits: PoolLimits
  readonly #children = new Set<Child>()
  readonly #queue: Job[] = []
  readonly #failed: (fault: Error) => void
  #guarded: boolean
  #checked: boolean
  #bootFailures = 0
  #closed = false

  constructor(worker: string, plan: ScanPlan, limits: PoolLimits, failed: (fault: Error) => void) {
    this.#worker = worker
    this.#plan = plan
    this.#limits = limits
    this.#failed = failed
    this.#guarded = plan.probes.some(({ trusted }) => !trusted)
    this.#checked = !this.#guarded
  }

  look(group: ScanGroup, bytes: Uint8Array): Promise<ScanResult> {
    return new Promise((settle) => {
      this.#queue.push({ course: group, bytes, settle, alone: false })
      this.#dispatch()
    })
  }

  /** Resolves when no child is left. */
  async close(): Promise<void> {
    this.#closed = true
    const children = [...this.#children]
    for (const child of children) this.#kill(child, 'crash')
    await Promise.all(children.map(({ ended }) => ended))
  }

  #dispatch(): void {
    if (this.#closed) return
    for (const child of this.#children)
      if (child.state === 'idle' && this.#queue.length > 0) this.#give(child)
    const waiting = [...this.#children].some(({ state }) => state === 'booting')
    // One at a time: a second child is worth its start only when the first leaves work behind.
    if (this.#queue.length > 0 && !waiting && this.#children.size < this.#limits.size) this.#start()
  }

  #start(): void {
    const process = fork(this.#worker, [], {
      execArgv: [`--max-old-space-size=${HEAP_MB}`],
      env: {},
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    const ended = new Promise<void>((resolve) => {
      process.once('exit', () => resolve())
      process.once('error', () => resolve())
    })
    const child: Child = {
      process,
      ended,
      told: new Set(),
      jobs: [],
      partial: undefined,
      timer: undefined,
      why: 'crash',
      state: 'booting',
    }
    this.#children.add(child)
    process.on('message', (answer) => this.#hear(child, answer as WorkerResponse))
    process.on('error', () => this.#bury(child))
    process.on('exit', () => this.#bury(child))
    this.#watch(child, BOOT_MS)
    this.#tell(child, { kind: 'rules', probes: this.#plan.probes, guarded: this.#guarded })
  }

  #tell(child: Child, order: WorkerRequest): void {
    // A child that is gone is noticed by its exit; what was sent meanwhile is sent again to another.
    if (child.process.connected) child.process.send(order, () => {})
  }

  #watch(child: Child, ms: number): void {
    clearTimeout(child.timer)
    child.timer = setTimeout(() => this.#kill(child, 'time'), ms)
  }

  #kill(child: Child, why: 'time' | 'crash'): void {
    child.why = why
    child.process.kill('SIGKILL')
  }

  #hear(child: Child, answer: WorkerResponse): void {
    if (child.state === 'gone') return
    if (answer.kind === 'ready') this.#welcome(child)
    else if (answer.kind === 'checked') this.#judge(child, answer.problem)
    else if (answer.kind === 'partial') child.partial = answer.examined
    else this.#settle(child, answer.results)
  }

  #welcome(child: Child): void {
    this.#bootFailures = 0
    if (this.#checked) return this.#rest(child)
    const checks = this.#plan.userRules()
    this.#watch(child, this.#limits.fileMs * 5)
    this.#tell(child, { kind: 'check', checks })
  }

  #judge(child: Child, problem: { readonly probe: number; readonly message: string } | undefined): void {
    if (problem === undefined) {
      this.#checked = true
      return this.#rest(child)
    }
    const ids = this.#plan.idsOf(problem.probe).join(', ')
    this.#failed(ruleFaults.refused(`${ids}: ${problem.message}`))
  }

  #rest(child: Child): void {
    clearTimeout(child.timer)
    child.state = 'idle'
    this.#dispatch()
  }

  #give(child: Child): void {
    child.state = 'busy'
    child.partial = undefined
    let bytes = 0
    while (child.jobs.length < BATCH_FILES) {
      const [next] = this.#queue
      const fits = child.jobs.length === 0 || (!next?.alone && !child.jobs[0]?.alone && bytes < BATCH_BYTES)
      if (next === undefined || !fits) break
      bytes += next.bytes.length
      child.jobs.push(next)
      this.#queue.shift()
    }
    // A batch of one needs no second try to tell whose fault it was.
    const [only] = child.jobs
    if (only !== undefined && child.jobs.length === 1) only.alone = true
    for (const { course: group } of child.jobs) {
      if (child.told.has(group.id)) continue
      child.told.add(group.id)
      this.#tell(child, { kind: 'course', id: group.id, readings: group.readings })
    }
    this.#tell(child, {
      kind: 'files',
      files: child.jobs.map(({ course: group, bytes: body }) => ({ course: group.id, bytes: body })),
    })
    this.#watch(child, this.#limits.fileMs)
  }

  #settle(child: Child, results: readonly (FileScan | 'binary' | 'failed')[]): void {
    for (const result of results) {
      const job = child.jobs.shift()
      if (result === 'binary') job?.settle({ end: 'binary' })
      else if (result === 'failed') job?.settle({ end: 'given-up', why: 'crash' })
      else job?.settle({ end: 'examined', examined: result })
    }
    if (child.jobs.length === 0) this.#rest(child)
    else this.#watch(child, this.#limits.fileMs)
  }

  #bury(child: Child): void {
    if (child.state === 'gone') return
    const booted = child.state !== 'booting'
    child.state = 'gone'
    clearTimeout(child.timer)
    this.#children.delete(child)
    if (this.#closed) return
    if (!booted) {
      this.#bootFailures += 1
      if (this.#bootFailures >= MAX_BOOT_FAILURES) {
        return this.#failed(
          this.#checked
            ? ruleFaults.scanner_down(
                `scanning processes end before they start (${this.#bootFailures} times)`,
              )
            : ruleFaults.refused('the rules of this repository take too long to compile'),
        )
      }
    }
    const [first] = child.jobs
    if (first?.alone) {
      const { partial, why } = child
      first.settle({ end: 'given-up', why, ...(partial !== undefined && { examined: partial }) })
    } else this.#queue.unshift(...child.jobs.map((job) => Object.assign(job, { alone: true })))
    child.jobs = []
    this.#dispatch()
  }
}

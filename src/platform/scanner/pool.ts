import { type ChildProcess, fork } from 'node:child_process'
import type { FileContent } from '../../gate/ports.ts'
import { USER_RULES_FOLDER } from '../../gate/rules/assemble-rules.ts'
import { ruleFaults } from '../../gate/rules/rule-faults.ts'
import { optional } from '../../kernel/optional.ts'
import { scheduledTime } from '../system/own-time.ts'
import type { ScanGroup, ScanPlan } from './plan.ts'
import type { FileScan } from './scan-file.ts'
import type { WorkerRequest, WorkerResponse, WorkerResult } from './worker.ts'

interface PoolLimits {
  readonly size: number
  /** Longest time that a busy child runs between two messages, in milliseconds. */
  readonly fileMs: number
}

interface PoolOptions {
  /** The built program of a scanning child. */
  readonly worker: string
  readonly plan: ScanPlan
  readonly limits: PoolLimits
  readonly onFailure: (fault: Error) => void
}

export type ScanResult =
  | { readonly end: 'scanned'; readonly scan: FileScan }
  | { readonly end: 'given-up'; readonly why: 'time' | 'crash'; readonly scan?: FileScan }

interface Job {
  readonly group: ScanGroup
  readonly file: FileContent
  readonly settle: (result: ScanResult) => void
  /** Set after a child died over a batch: scanning each file alone shows which one is the cause. */
  alone: boolean
}

const BATCH_FILES = 32
const BATCH_BYTES = 256 * 1024
const BOOT_MS = 20_000
const MAX_BOOT_FAILURES = 3
/** How often a child gets the rest of its time: even one that does not run at all is given up in the end. */
const MAX_ROUNDS = 10
/** A child that needs more memory dies, and its file is given up. */
const HEAP_MB = 1_024

interface Child {
  readonly process: ChildProcess
  readonly ended: Promise<void>
  readonly sentGroups: Set<number>
  jobs: Job[]
  partial: FileScan | undefined
  timer: NodeJS.Timeout | undefined
  why: 'time' | 'crash'
  state: 'booting' | 'idle' | 'busy' | 'gone'
}

/** Child processes that scan files. Native code can only be interrupted by killing its process. */
export class ScanPool {
  readonly #worker: string
  readonly #plan: ScanPlan
  readonly #limits: PoolLimits
  readonly #children = new Set<Child>()
  readonly #queue: Job[] = []
  readonly #onFailure: (fault: Error) => void
  /** True when there are user rules. */
  readonly #guarded: boolean
  #checked: boolean
  #bootFailures = 0
  #closed = false

  constructor({ worker, plan, limits, onFailure }: PoolOptions) {
    this.#worker = worker
    this.#plan = plan
    this.#limits = limits
    this.#onFailure = onFailure
    this.#guarded = plan.matchers.some(({ trusted }) => !trusted)
    this.#checked = !this.#guarded
  }

  scan(group: ScanGroup, file: FileContent): Promise<ScanResult> {
    return new Promise((settle) => {
      this.#queue.push({ group, file, settle, alone: false })
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
      if (child.state === 'idle' && this.#queue.length > 0) this.#assign(child)
    const isBooting = [...this.#children].some(({ state }) => state === 'booting')
    // Start one child at a time: another one only pays when files are left in the queue.
    if (this.#queue.length > 0 && !isBooting && this.#children.size < this.#limits.size) this.#start()
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
      sentGroups: new Set(),
      jobs: [],
      partial: undefined,
      timer: undefined,
      why: 'crash',
      state: 'booting',
    }
    this.#children.add(child)
    process.on('message', (response: WorkerResponse) => this.#onMessage(child, response))
    process.on('error', () => this.#onExit(child))
    process.on('exit', () => this.#onExit(child))
    this.#setTimeout(child, BOOT_MS)
    this.#send(child, { kind: 'rules', matchers: this.#plan.matchers, guarded: this.#guarded })
  }

  #send(child: Child, request: WorkerRequest): void {
    // Errors are ignored: the exit event puts the files back into the queue.
    if (child.process.connected) child.process.send(request, () => {})
  }

  /** Kills the child when it has run for `ms`. Time in which it waited for a processor does not count. */
  #setTimeout(child: Child, ms: number, rounds = MAX_ROUNDS): void {
    clearTimeout(child.timer)
    const { pid = 0 } = child.process
    const before = scheduledTime(pid)?.running
    child.timer = setTimeout(() => {
      const after = before === undefined ? undefined : scheduledTime(pid)?.running
      const left = after === undefined ? 0 : ms - (after - (before ?? 0))
      if (left < 1 || rounds <= 1) this.#kill(child, 'time')
      else this.#setTimeout(child, left, rounds - 1)
    }, ms)
  }

  #kill(child: Child, why: 'time' | 'crash'): void {
    child.why = why
    child.process.kill('SIGKILL')
  }

  #onMessage(child: Child, response: WorkerResponse): void {
    if (child.state === 'gone') return
    if (response.kind === 'ready') this.#onReady(child)
    else if (response.kind === 'checked') this.#onChecked(child, response.problem)
    else if (response.kind === 'partial') child.partial = response.scan
    else this.#onResults(child, response.results)
  }

  #onReady(child: Child): void {
    this.#bootFailures = 0
    if (this.#checked) return this.#setIdle(child)
    const checks = this.#plan.userRules()
    this.#setTimeout(child, this.#limits.fileMs * 5)
    this.#send(child, { kind: 'check', checks })
  }

  #onChecked(child: Child, problem: (WorkerResponse & { kind: 'checked' })['problem']): void {
    if (problem === undefined) {
      this.#checked = true
      return this.#setIdle(child)
    }
    const ids = this.#plan.ruleIdsOf(problem.matcher).join(', ')
    this.#onFailure(ruleFaults.refused(`${ids}: ${problem.message}`))
  }

  #setIdle(child: Child): void {
    clearTimeout(child.timer)
    child.state = 'idle'
    this.#dispatch()
  }

  #assign(child: Child): void {
    child.state = 'busy'
    child.partial = undefined
    let bytes = 0
    while (child.jobs.length < BATCH_FILES) {
      const [next] = this.#queue
      const fits = child.jobs.length === 0 || (!next?.alone && !child.jobs[0]?.alone && bytes < BATCH_BYTES)
      if (next === undefined || !fits) break
      bytes += next.file.bytes.length
      child.jobs.push(next)
      this.#queue.shift()
    }
    // A batch of one needs no second attempt to find the cause.
    const [only] = child.jobs
    if (only !== undefined && child.jobs.length === 1) only.alone = true
    for (const { id, passes, texts } of child.jobs.map(({ group }) => group)) {
      if (child.sentGroups.has(id)) continue
      child.sentGroups.add(id)
      this.#send(child, { kind: 'group', id, passes, texts })
    }
    this.#send(child, {
      kind: 'files',
      files: child.jobs.map(({ group, file }) => ({ group: group.id, ...file })),
    })
    this.#setTimeout(child, this.#limits.fileMs)
  }

  #onResults(child: Child, results: readonly WorkerResult[]): void {
    for (const result of results) {
      const job = child.jobs.shift()
      if (result === 'failed') job?.settle({ end: 'given-up', why: 'crash' })
      else job?.settle({ end: 'scanned', scan: result })
    }
    if (child.jobs.length === 0) this.#setIdle(child)
    else this.#setTimeout(child, this.#limits.fileMs)
  }

  #onExit(child: Child): void {
    if (child.state === 'gone') return
    const booted = child.state !== 'booting'
    child.state = 'gone'
    clearTimeout(child.timer)
    this.#children.delete(child)
    if (this.#closed) return
    if (!booted) {
      this.#bootFailures += 1
      if (this.#bootFailures >= MAX_BOOT_FAILURES) {
        return this.#onFailure(
          this.#checked
            ? ruleFaults.scanner_down(
                `the scanning process ended during its start ${this.#bootFailures} times in a row`,
              )
            : ruleFaults.refused(`the rules in ${USER_RULES_FOLDER} take too long to compile`),
        )
      }
    }
    const [first] = child.jobs
    if (first?.alone) {
      const { partial, why } = child
      first.settle({ end: 'given-up', why, ...optional({ scan: partial }) })
    } else this.#queue.unshift(...child.jobs.map((job) => Object.assign(job, { alone: true })))
    child.jobs = []
    this.#dispatch()
  }
}

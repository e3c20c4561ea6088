import type { Digest } from '../../kernel/encoding/digest.ts'
import { Fault } from '../../kernel/fault.ts'
import type { Clock } from '../../kernel/ports.ts'
import { packetFaults } from '../faults.ts'
import { type Reference, writeReference } from '../format/reference.ts'
import type { ProgressListener } from '../ports.ts'
import { type PulledPacket, type PullPorts, pullPacket } from './pull.ts'

interface Download {
  readonly result: Promise<PulledPacket>
  readonly stop: AbortController
  /** Callers waiting for this download, each with a progress callback. */
  readonly waiting: Map<symbol, ProgressListener>
  done: number
  total: number
}

/** How long a call may wait; without it, forever. */
interface CallBudget {
  readonly clock: Clock
  readonly ms: number
}

/** True when the call hit its own deadline; false when the client cancelled. */
const isDeadline = (reason: unknown): boolean => reason instanceof Fault && reason.code === 'call.deadline'

/**
 * Single-flight downloads into one store. A download may take longer than a client waits: it continues after
 * that call ended, and a repeated call joins it. Otherwise every call would start a large packet again and none
 * would finish.
 */
export class Downloads {
  readonly #ports: PullPorts
  readonly #budget: CallBudget | undefined
  readonly #arrived: (digest: Digest) => void
  readonly #running = new Map<string, Download>()

  /** `arrived` is called for packets that were downloaded, not for those already in the store. */
  constructor(ports: PullPorts, arrived: (digest: Digest) => void, budget?: CallBudget) {
    this.#ports = ports
    this.#arrived = arrived
    this.#budget = budget
  }

  async download(ref: Reference, signal: AbortSignal, watch: ProgressListener): Promise<PulledPacket> {
    signal.throwIfAborted()
    const key = writeReference(ref)
    const download = this.#running.get(key) ?? this.#start(key, ref)
    const waiter = Symbol(key)
    download.waiting.set(waiter, watch)
    try {
      return await this.#await(download, signal)
    } finally {
      download.waiting.delete(waiter)
      const cancelled = signal.aborted && !isDeadline(signal.reason)
      if (cancelled && download.waiting.size === 0) {
        this.#forget(key, download)
        download.stop.abort(signal.reason)
      }
    }
  }

  close(): void {
    for (const { stop } of this.#running.values()) stop.abort()
  }

  #start(key: string, ref: Reference): Download {
    const stop = new AbortController()
    const waiting = new Map<symbol, ProgressListener>()
    const progress = (done: number, total: number) => {
      Object.assign(download, { done, total })
      for (const watch of waiting.values()) watch('fetch', done, total)
    }
    const result = pullPacket(this.#ports, { ref, signal: stop.signal, progress })
      .then((pulled) => {
        if (download.done > 0) this.#arrived(pulled.digest)
        return pulled
      })
      .finally(() => this.#forget(key, download))
    const download: Download = { result, stop, waiting, done: 0, total: 0 }
    // It may fail while no caller waits; the next call starts another download.
    result.catch(() => {})
    this.#running.set(key, download)
    return download
  }

  /** Removes an ended download, unless another one was started for the key. */
  #forget(key: string, download: Download): void {
    if (this.#running.get(key) === download) this.#running.delete(key)
  }

  #await(download: Download, signal: AbortSignal): Promise<PulledPacket> {
    return new Promise((resolve, reject) => {
      const onAbort = () => reject(signal.reason)
      signal.addEventListener('abort', onAbort, { once: true })
      const onTimeout = () =>
        reject(
          packetFaults.fetching(
            `the packet is being downloaded, ${download.done} of ${download.total} bytes so far`,
          ),
        )
      const cancelTimer = this.#budget?.clock.after(this.#budget.ms, onTimeout)
      download.result.then(resolve, reject).finally(() => {
        cancelTimer?.()
        signal.removeEventListener('abort', onAbort)
      })
    })
  }
}

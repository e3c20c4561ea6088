import { Worker } from 'node:worker_threads'
import { scanWorker, type WorkerRequest, type WorkerResponse } from '../../platform/scanner/worker.ts'

// A rule that keeps the main thread busy also keeps it from noticing that its parent is gone: this thread does.
const WATCH = `
  const parent = process.ppid
  setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL') }, 250)
`

const guard = () =>
  new Promise<void>((resolve) => {
    const watcher = new Worker(WATCH, { eval: true, stdout: true, stderr: true })
    watcher.once('online', () => resolve())
    watcher.unref()
  })

/** Serves the scanner that started this process, until it goes. */
export const runScanChild = (): void => {
  const obey = scanWorker((answer: WorkerResponse) => process.send?.(answer), guard)
  process.on('disconnect', () => process.exit(0))
  process.on('message', (order) => void obey(order as WorkerRequest))
}

import { Worker } from 'node:worker_threads'
import { scanWorker, type WorkerRequest, type WorkerResponse } from '../../platform/scanner/worker.ts'

// A long scan blocks the main thread, so a second thread notices when the parent process is gone.
const WATCH = `
  const parent = process.ppid
  setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL') }, 250)
`

const startWatcher = () =>
  new Promise<void>((resolve) => {
    const watcher = new Worker(WATCH, { eval: true, stdout: true, stderr: true })
    watcher.once('online', () => resolve())
    watcher.unref()
  })

/** Runs the requests of the scanner that started this process, until it disconnects. */
export const runScanChild = (): void => {
  const handle = scanWorker((response: WorkerResponse) => process.send?.(response), startWatcher)
  process.on('disconnect', () => process.exit(0))
  process.on('message', (request: WorkerRequest) => void handle(request))
}

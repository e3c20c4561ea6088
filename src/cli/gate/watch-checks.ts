import type { CheckProgress } from '../../gate/checks/judge-checks.ts'
import { escapeLineBreaks } from '../../kernel/text/escape-text.ts'
import { systemClock } from '../../platform/system/clock.ts'

const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const
const REDRAW_MS = 200
/** Where there is no terminal, such as in CI: a line now and then shows that a long check is not hung. */
const LINE_EVERY_MS = 30_000

let handled = false

/** Commands of checks are in process groups of their own, which no signal of a terminal reaches. They end with us. */
const endOnSignal = (): void => {
  if (handled) return
  handled = true
  for (const [signal, number] of Object.entries(SIGNALS))
    process.once(signal, () => process.exit(128 + number))
}

/** Shows which checks run and for how long, and ends them when this process is ended. */
export const watchChecks = ({ hidden }: { readonly hidden: boolean }): CheckProgress => {
  const started = new Map<string, number>()
  let text = ''
  let timer: NodeJS.Timeout | undefined
  const draw = () => {
    const seconds = (since: number) => Math.floor((systemClock.elapsed() - since) / 1_000)
    const names = [...started].map(([name, since]) => `${name} ${seconds(since)} s`)
    const line = escapeLineBreaks(`checks: ${text}, running: ${names.join(', ')}`)
    process.stderr.write(process.stderr.isTTY ? `\r${line}\u001b[K` : `${line}\n`)
  }
  const clear = () => {
    clearInterval(timer)
    timer = undefined
    if (process.stderr.isTTY) process.stderr.write('\r\u001b[K')
  }
  return (done, total, running) => {
    endOnSignal()
    if (hidden) return
    for (const name of started.keys()) if (!running.includes(name)) started.delete(name)
    for (const name of running) if (!started.has(name)) started.set(name, systemClock.elapsed())
    text = `${done} of ${total} done`
    if (running.length === 0 && timer !== undefined) clear()
    else if (running.length > 0)
      timer ??= setInterval(draw, process.stderr.isTTY ? REDRAW_MS : LINE_EVERY_MS).unref()
  }
}

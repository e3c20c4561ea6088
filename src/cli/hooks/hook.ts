import { resolve } from 'node:path'
import type { Config } from '../../app/config/settings.ts'
import { loadSettings } from '../../app/process-context.ts'
import { answerEvent, type HookAnswer } from '../../hooks/answer.ts'
import { HOOK_CLIENTS, type HookClient } from '../../hooks/clients.ts'
import { hookEventFaults } from '../../hooks/faults.ts'
import type { AgentHookPorts, HookDecision } from '../../hooks/ports.ts'
import { type AgentEvent, guessMoment, MAX_EVENT_BYTES, readAgentEvent } from '../../hooks/read-event.ts'
import { Fault } from '../../kernel/fault.ts'
import { type Invocation, usageFaults } from '../command/command.ts'
import { textFlag } from '../command/subcommand.ts'

/** An answer takes at most this long, counted from the start of the process. Clients go on after their own limit. */
const BUDGET_MS = 1_000
const MAX_BUDGET_MS = 9_000
/** Left for starting Node and for printing. */
const RESERVE_MS = 60

const readClient = ({ positionals: [name = ''] }: Invocation): HookClient => {
  const client = HOOK_CLIENTS.find((one) => one === name)
  if (client !== undefined) return client
  throw usageFaults.argument(
    `${JSON.stringify(name)} is no client; the clients are ${HOOK_CLIENTS.join(', ')}`,
  )
}

const readEventText = async (): Promise<string> => {
  if (process.stdin.isTTY === true) throw usageFaults.argument('the event of the client is expected on stdin')
  const parts: Buffer[] = []
  let size = 0
  const input: AsyncIterable<Buffer> = process.stdin
  for await (const part of input) {
    size += part.length
    if (size > MAX_EVENT_BYTES) throw hookEventFaults.too_large('the event is longer than 24 MiB')
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

const failureText = (thrown: unknown): string => {
  if (thrown instanceof Fault) return `Warrant could not judge this: ${thrown.message}. ${thrown.fix}`
  const what = thrown instanceof Error ? thrown.message : String(thrown)
  return `Warrant could not judge this: ${what}. Run \`warrant doctor\` to see what is wrong.`
}

const openPorts = async (
  config: Config,
  folder: string,
  limits: { readonly signal: AbortSignal; readonly budget: number },
): Promise<AgentHookPorts | undefined> => {
  const { openAgentHook } = await import('../../app/open/hooks/open.ts')
  return openAgentHook(config, { environment: process.env, cwd: folder, program: process.argv[1], ...limits })
}

/** Where the client did not start the hook in a repository, its working folder may be in one. */
const findPorts = async (
  opening: Promise<AgentHookPorts | undefined>,
  event: AgentEvent,
  config: Config,
  limits: { readonly signal: AbortSignal; readonly budget: number },
): Promise<AgentHookPorts | undefined> => {
  const opened = await opening
  if (opened !== undefined || event.cwd === undefined) return opened
  return openPorts(config, resolve(event.cwd), limits)
}

interface Judged {
  readonly event: AgentEvent | undefined
  readonly decision: HookDecision
  readonly root?: string
}

/** Whatever fails here is a refusal: a client goes on after a hook that crashed. */
class HookRun {
  readonly #client: HookClient
  readonly #config: Config
  readonly #budget: number
  readonly #stop = new AbortController()
  #text = ''

  constructor(client: HookClient, config: Config, budget: number) {
    this.#client = client
    this.#config = config
    this.#budget = budget
  }

  async judge(): Promise<Judged> {
    const limits = { signal: this.#stop.signal, budget: this.#budget }
    const opening = openPorts(this.#config, process.cwd(), limits)
    // Handled where it is awaited.
    opening.catch(() => {})
    this.#text = await readEventText()
    const event = readAgentEvent(this.#client, this.#text)
    if (event === undefined) return { event, decision: { kind: 'allow' } }
    const { isRepair, judgeEvent } = await import('../../hooks/judge-event.ts')
    try {
      const ports = await findPorts(opening, event, this.#config, limits)
      if (ports === undefined) return { event, decision: { kind: 'allow' } }
      return { event, decision: await judgeEvent(event, ports), root: ports.root }
    } catch (thrown) {
      // The agent may run the repair that it was told, or it could never go on.
      if (!(thrown instanceof Fault && isRepair(event, thrown.fix))) throw thrown
      return { event, decision: { kind: 'allow' } }
    }
  }

  abandon(): void {
    this.#stop.abort()
  }

  answer({ event, decision }: Judged): HookAnswer {
    const shape = event ?? { ...guessMoment(this.#client, this.#text), client: this.#client }
    return answerEvent(shape, decision)
  }
}

const timeOut = (choice: string): Judged => ({
  event: undefined,
  decision:
    choice === 'allow'
      ? { kind: 'allow' }
      : {
          kind: 'deny',
          rule: 'timeout',
          text: 'Warrant could not judge this in time. Try again; on a slow machine, give the hook more with --budget.',
        },
})

const write = (stream: NodeJS.WriteStream, text: string): Promise<void> =>
  text === '' ? Promise.resolve() : new Promise((done) => stream.write(text, () => done()))

const print = async ({ stdout, stderr }: HookAnswer): Promise<void> => {
  await Promise.all([write(process.stdout, stdout), write(process.stderr, stderr)])
}

const readBudget = (invocation: Invocation): number => {
  const text = textFlag(invocation, 'budget') ?? String(BUDGET_MS)
  const budget = /^\d{3,4}$/.test(text) ? Number(text) : 0
  if (budget >= 100 && budget <= MAX_BUDGET_MS) return budget
  throw usageFaults.option(
    `--budget is a number of milliseconds from 100 to ${MAX_BUDGET_MS}, not ${JSON.stringify(text)}`,
  )
}

const afterBudget = <T>(budget: number, value: T): Promise<T> =>
  new Promise((done) => {
    setTimeout(() => done(value), Math.max(1, budget - RESERVE_MS - process.uptime() * 1_000))
  })

/** Every event is recorded, after the answer is printed. */
const record = async (config: Config, { event, decision, root }: Judged): Promise<void> => {
  if (root === undefined || event === undefined) return
  const { recordEvent } = await import('../../app/open/hooks/record.ts')
  recordEvent(config, root, event, decision)
}

export const run = async (invocation: Invocation): Promise<number> => {
  const client = readClient(invocation)
  const choice = textFlag(invocation, 'on-timeout') ?? 'deny'
  if (choice !== 'deny' && choice !== 'allow')
    throw usageFaults.option(`--on-timeout is deny or allow, not ${JSON.stringify(choice)}`)
  const budget = readBudget(invocation)
  const { config } = loadSettings(invocation)
  const hook = new HookRun(client, config, budget)
  const failed = (thrown: unknown): Judged => ({
    event: undefined,
    decision: { kind: 'deny', rule: 'failure', text: failureText(thrown) },
  })
  const judged = await Promise.race([hook.judge().catch(failed), afterBudget(budget, timeOut(choice))])
  const answer = hook.answer(judged)
  await print(answer)
  await record(config, judged).catch(() => {})
  hook.abandon()
  // Git may still wait for questions: it ends with this process.
  process.exit(answer.exitCode)
}

import { spawn } from 'node:child_process'
import { canonicalJson } from '../../src/kernel/encoding/canonical.ts'
import { digestBytes } from '../../src/kernel/encoding/hash.ts'
import { DECISION_LOG } from '../../src/lineage/origin.ts'
import { readEntry, readPayload, readRows } from '../../src/lineage/read-rows.ts'
import type { LogStore } from '../../src/lineage/store.ts'
import { BINARY, cleanEnvironment, Program, startHttp } from './binary.ts'
import { initialize, request } from './messages.ts'
import { GIT_ENVIRONMENT, type Repo } from './repository.ts'

/** Many processes that record in one log at once, and what each of them was told. */

interface LoadPlan {
  readonly repos: readonly Repo[]
  readonly stdio: number
  readonly http: number
  readonly ms: number
  readonly env?: Readonly<Record<string, string>>
}

/** What clients were told is done. */
export class Acknowledged {
  /** Digests of the arguments of writes, each used once. */
  readonly writes: string[] = []
  checks = 0
  runs = 0
  /** Answers other than the expected ones. */
  readonly strange: string[] = []
}

/** Refused by the tool, which is an effect on record as well; the arguments are unlike those of any other call. */
const writeArguments = (worker: string, n: number) => ({ content: '# x', fileName: `../${worker}-${n}.md` })

const note = (seen: Acknowledged, tool: string, args: object, answer: string): void => {
  if (answer.includes('call.unrecorded')) seen.strange.push(answer)
  else if (tool === 'ai_gate_check' && /\b(ALLOWED|BLOCKED)\b/.test(answer)) seen.checks += 1
  else if (tool !== 'ai_gate_check' && answer.includes('jail.read_only'))
    seen.writes.push(digestBytes(canonicalJson(args)))
  else seen.strange.push(answer)
}

type Ask = (id: number, tool: string, args: object) => Promise<string>

/** Calls a deciding and a writing tool in turn until the time is over. */
const askUntil = async (end: number, worker: string, seen: Acknowledged, ask: Ask): Promise<void> => {
  for (let n = 1; performance.now() < end; n += 1) {
    const check = n % 3 === 0
    const tool = check ? 'ai_gate_check' : 'write_architecture_report'
    const args = check ? {} : writeArguments(worker, n)
    note(seen, tool, args, await ask(n, tool, args))
  }
}

const overStdio = async (
  cwd: string,
  env: LoadPlan['env'],
  worker: string,
  end: number,
  seen: Acknowledged,
) => {
  const program = new Program(['mcp'], { cwd, env: { ...GIT_ENVIRONMENT, ...env } })
  program.send(initialize(0))
  await program.answers(1, 60_000)
  await askUntil(end, worker, seen, async (id, name, args) => {
    program.send(request(id, 'tools/call', { name, arguments: args }))
    const heard = await program.heard(id + 1, 60_000)
    return heard.at(-1) ?? ''
  })
  await program.finish(60_000)
}

const overHttp = async (
  cwd: string,
  env: LoadPlan['env'],
  worker: string,
  end: number,
  seen: Acknowledged,
) => {
  const server = await startHttp([], { cwd, env: { ...GIT_ENVIRONMENT, ...env } })
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const client = (name: string) =>
    askUntil(end, name, seen, async (id, tool, args) => {
      const body = request(id, 'tools/call', { name: tool, arguments: args })
      return (await server.fetch('/mcp', { method: 'POST', headers, body })).text()
    })
  await Promise.all([client(`${worker}a`), client(`${worker}b`), client(`${worker}c`)])
  server.child.kill()
  await server.ended(60_000)
}

const endOf = (cwd: string, command: readonly string[], env: LoadPlan['env']): Promise<number | null> =>
  new Promise((resolve, reject) => {
    const [file = '', ...args] = command
    const child = spawn(file, args, {
      cwd,
      env: cleanEnvironment({ ...GIT_ENVIRONMENT, ...env }),
      stdio: 'ignore',
    })
    child.on('error', reject)
    child.on('exit', resolve)
  })

/** Runs of the gate by hand: 0 and 1 are verdicts. */
const runGates = async (cwd: string, env: LoadPlan['env'], end: number, seen: Acknowledged) => {
  while (performance.now() < end) {
    const code = await endOf(cwd, [process.execPath, BINARY, 'gate', '--all', '--quiet'], env)
    if (code === 0 || code === 1) seen.runs += 1
    else seen.strange.push(`gate ended with ${code}`)
  }
}

/** Commits through the installed hook: one that is made was judged. */
const commitThroughHook = async (repo: Repo, env: LoadPlan['env'], end: number, seen: Acknowledged) => {
  for (let n = 0; performance.now() < end; n += 1) {
    repo.stage({ [`src/c${n}.ts`]: `export const c${n} = ${n}\n` })
    const code = await endOf(repo.folder, ['git', 'commit', '-qm', `c${n}`], env)
    if (code === 0) seen.runs += 1
    else seen.strange.push(`git commit ended with ${code}`)
  }
}

/** Runs all of them for the time of the plan. */
export const loadLineage = async ({ repos, stdio, http, ms, env }: LoadPlan): Promise<Acknowledged> => {
  const seen = new Acknowledged()
  for (const repo of repos) {
    await endOf(repo.folder, [process.execPath, BINARY, 'init', '--yes', '--clients', 'none'], env)
    // It runs the gate once.
    seen.runs += 1
  }
  const end = performance.now() + ms
  const place = (n: number): Repo => repos[n % repos.length] as Repo
  await Promise.all([
    ...Array.from({ length: stdio }, (_, n) => overStdio(place(n).folder, env, `s${n}`, end, seen)),
    ...Array.from({ length: http }, (_, n) => overHttp(place(n).folder, env, `h${n}`, end, seen)),
    ...repos.flatMap((repo) => [
      runGates(repo.folder, env, end, seen),
      commitThroughHook(repo, env, end, seen),
    ]),
  ])
  return seen
}

/** What the log has of them. */
export const countEntries = async (store: LogStore) => {
  const log = await store.find(DECISION_LOG)
  const found = { writes: [] as unknown[], checks: 0, runs: 0, begins: 0 }
  if (log === undefined) return found
  for await (const row of readRows(log)) {
    const { operation } = readEntry(row)
    if (operation === 'log.begin') found.begins += 1
    if (operation === 'ai_gate_check') found.checks += 1
    if (operation === 'gate_run') found.runs += 1
    if (operation === 'write_architecture_report') found.writes.push(readPayload(row).args)
  }
  return found
}

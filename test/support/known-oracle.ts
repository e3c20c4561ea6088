import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import { loadConfig } from '../../src/app/config/load-config.ts'
import { openGate } from '../../src/app/open/gate.ts'
import { evaluateChange } from '../../src/gate/evaluate.ts'
import { EMPTY_TREE } from '../../src/gate/ports.ts'
import type { GateFinding } from '../../src/gate/reports/report.ts'
import { systemClock } from '../../src/platform/system/clock.ts'
import { gateEnvironment } from './gate.ts'
import { GIT_ENVIRONMENT, Repo } from './repository.ts'

const RULE = `id: project.no-bad
language: typescript
severity: error
message: Not here.
rule: { pattern: bad($A) }
metadata: { severity: CRITICAL }
`
const signal = new AbortController().signal

/** A program as lists of statements by function. */
type Program = Map<string, string[]>

const print = (program: Program): string =>
  [...program]
    .map(([name, lines]) => `export function ${name}() {\n${lines.map((line) => `  ${line}\n`).join('')}}\n`)
    .join('')

type Pick = (below: number) => number

/** Statements that a rule finds, and others; few different ones, so that most occur several times. */
const statement = (pick: Pick): string => (pick(3) === 0 ? `bad(${pick(3)})` : `good(${pick(50)})`)

/** One step of a person at work. */
const change = (files: Map<string, Program>, pick: Pick): void => {
  const names = [...files.keys()]
  const path = names[pick(names.length)] ?? 'a.ts'
  const program = files.get(path) ?? new Map<string, string[]>()
  files.set(path, program)
  const functions = [...program.keys()]
  const name = functions[pick(functions.length)] ?? 'f'
  const lines = program.get(name) ?? []
  program.set(name, lines)
  const fresh = `f${pick(40)}`
  switch (pick(9)) {
    case 0:
      lines.splice(pick(lines.length + 1), 0, statement(pick), statement(pick))
      return
    case 1:
      lines.splice(pick(lines.length + 1), 1)
      return
    case 2: {
      // To another function, or to another place of the same.
      const [moved] = lines.splice(pick(lines.length + 1), 1)
      const target = program.get(functions[pick(functions.length)] ?? name) ?? lines
      if (moved !== undefined) target.splice(pick(target.length + 1), 0, moved)
      return
    }
    case 3:
      if (!program.has(fresh)) {
        const renamed = [...program].map(([one, all]) => [one === name ? fresh : one, all] as const)
        program.clear()
        for (const [one, all] of renamed) program.set(one, all)
      }
      return
    case 4:
      if (!program.has(fresh)) program.set(fresh, [statement(pick), statement(pick), statement(pick)])
      return
    case 5: {
      const target = `${fresh}.ts`
      if (!files.has(target)) {
        files.set(target, program)
        files.delete(path)
      }
      return
    }
    case 6:
      files.set(`${fresh}.ts`, new Map([...program].map(([one, all]) => [one, [...all]])))
      return
    case 7:
      program.delete(name)
      return
    default:
      lines[pick(lines.length + 1)] = statement(pick)
  }
}

/** Commits a history of generated programs at once; returns the ids, oldest first. */
const commitHistory = (repo: Repo, seed: number, commits: number): string[] => {
  let state = seed
  const pick: Pick = (below) => {
    state = (state * 48_271) % 2_147_483_647
    return below === 0 ? 0 : state % below
  }
  const files = new Map<string, Program>()
  for (const path of ['a.ts', 'b.ts', 'c.ts'])
    files.set(
      path,
      new Map(['f', 'g', 'h'].map((name) => [name, Array.from({ length: 5 }, () => statement(pick))])),
    )
  const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`
  const steps: string[] = []
  for (let at = 0; at <= commits; at++) {
    if (at > 0) for (let step = 1 + pick(3); step > 0; step--) change(files, pick)
    const entries = [...files].map(([path, program]) => `M 100644 inline ${path}\n${data(print(program))}`)
    steps.push(
      `commit refs/heads/history\ncommitter A <a@example.org> ${1_700_000_000 + at} +0000\n${data(String(at))}deleteall\nM 100644 inline .warrant/rules/bad.yml\n${data(RULE)}${entries.join('')}`,
    )
  }
  execFileSync('git', ['fast-import', '--quiet'], {
    cwd: repo.folder,
    input: steps.join(''),
    env: { ...process.env, ...GIT_ENVIRONMENT },
  })
  return repo.git('rev-list', '--reverse', 'history').trim().split('\n')
}

/** A finding as the oracle knows it: by the text of its line and of the function around it, both read from the file. */
interface Seen {
  readonly file: string
  readonly line: number
  readonly text: string
  readonly within: string
}

const locate = (text: string, { file, region }: GateFinding): Seen => {
  const lines = text.split('\n')
  const line = region?.line ?? 0
  const header = lines.slice(0, line).findLast((one) => one.startsWith('export function'))
  return {
    file,
    line,
    text: (lines[line - 1] ?? '').trim(),
    within: /function (\w+)/.exec(header ?? '')?.[1] ?? '',
  }
}

/** Old line by new line, of the lines that git's own diff leaves alone. */
const unchangedLines = (repo: Repo, from: string, to: string): ReadonlyMap<number, number> => {
  const patch = repo.git('diff', '--no-color', '-U0', from, to)
  const kept = new Map<number, number>()
  let [old, now] = [1, 1]
  const keep = (until: number) => {
    while (now < until) kept.set(now++, old++)
  }
  for (const [, a = '0', n = '1', b = '0', m = '1'] of patch.matchAll(
    /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/gm,
  )) {
    keep(Number(m) === 0 ? Number(b) + 1 : Number(b))
    old = Number(a) + (n === '0' ? 1 : Number(n))
    now = Number(b) + (m === '0' ? 1 : Number(m))
  }
  keep(1_000_000_000 > now ? now + 10_000 : now)
  return kept
}

/** The size of the largest set of pairs in which each finding of either side occurs once. */
const mostPairs = (
  after: readonly Seen[],
  before: readonly Seen[],
  mayPair: (a: Seen, b: Seen) => boolean,
): number => {
  const taken = new Map<Seen, Seen>()
  const place = (one: Seen, tried: Set<Seen>): boolean =>
    before.some((old) => {
      if (tried.has(old) || !mayPair(one, old)) return false
      tried.add(old)
      const owner = taken.get(old)
      if (owner !== undefined && !place(owner, tried)) return false
      taken.set(old, one)
      return true
    })
  return after.filter((one) => place(one, new Set())).length
}

/**
 * Judges generated changes, and compares which findings are new with what two whole scans and git's diff tell: a
 * finding is known if the version before has one with the same text in the same function, or on the very same line.
 */
export const findDifferences = async (seed: number, commits: number) => {
  const repo = Repo.init()
  const ids = commitHistory(repo, seed, commits)
  const environment = gateEnvironment()
  const { config } = loadConfig({}, { environment, cwd: repo.folder })
  const context = {
    environment,
    clock: systemClock,
    reuse: 'none' as const,
    folder: resolve(repo.folder),
    signal,
  }
  const { ports } = await openGate({ ...config, store: 'memory' }, context)
  const judge = async (from: string, to: string) => {
    const request = { stage: 'CI', scope: { kind: 'range', from, to }, policyFrom: 'base' } as const
    return evaluateChange(ports.change, request, [], signal)
  }
  const scan = async (commit: string): Promise<readonly Seen[]> =>
    (await judge(EMPTY_TREE, commit)).findings
      .filter(({ ruleId }) => ruleId === 'project.no-bad')
      .map((one) => locate(repo.git('show', `${commit}:${one.file}`), one))
  const differences: string[] = []
  const seen = { new: 0, known: 0, renamed: 0 }
  let [last = '', ...rest] = ids
  let before = await scan(last)
  for (const id of rest) {
    const after = await scan(id)
    const { findings } = await judge(last, id)
    const renames = new Map(
      repo
        .git('diff', '--name-status', '-M50%', last, id)
        .split('\n')
        .flatMap((line) => {
          const [, old, now] = /^R\d+\t(.+)\t(.+)$/.exec(line) ?? []
          return old === undefined || now === undefined ? [] : [[now, old] as const]
        }),
    )
    seen.renamed += renames.size
    const changed = new Set(repo.git('diff', '--name-only', '-M50%', last, id).trim().split('\n'))
    for (const file of changed) {
      const old = renames.get(file) ?? file
      const oldFindings = before.filter((one) => one.file === old)
      const added = renames.has(file) || oldFindings.length > 0
      const lines =
        added && after.some((one) => one.file === file)
          ? unchangedLines(repo, `${last}:${old}`, `${id}:${file}`)
          : new Map<number, number>()
      const own = after.filter((one) => one.file === file)
      for (const text of new Set(own.map((one) => one.text))) {
        const now = own.filter((one) => one.text === text)
        const then = oldFindings.filter((one) => one.text === text)
        const most = mostPairs(now, then, (a, b) => a.within === b.within || lines.get(a.line) === b.line)
        const judged = findings.filter(
          (one) =>
            one.file === file &&
            now.some(({ line }) => line === one.region?.line) &&
            one.ruleId === 'project.no-bad',
        )
        const fresh = judged.filter(({ state }) => state === 'new')
        seen.new += fresh.length
        seen.known += judged.length - fresh.length
        if (judged.length !== now.length || fresh.length !== now.length - most)
          differences.push(
            `${id} ${file} ${text}: ${fresh.length} new of ${judged.length}, expected ${now.length - most} of ${now.length}`,
          )
      }
    }
    last = id
    before = after
  }
  return { differences, seen }
}

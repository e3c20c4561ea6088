import { resolve } from 'node:path'
import { loadConfig } from '../../src/app/config/load-config.ts'
import { openGate } from '../../src/app/open/gate.ts'
import { createGateService } from '../../src/app/open/gate-service.ts'
import { GATE_STAGES, type GateStage } from '../../src/evidence/stage.ts'
import { runGate } from '../../src/gate/run.ts'
import { systemClock } from '../../src/platform/system/clock.ts'
import { gateEnvironment } from './gate.ts'
import { Repo } from './repository.ts'

/** A rule for each threshold, so that stages differ in what they block. */
const rule = (name: string, severity: string) => `id: project.${name}
language: typescript
severity: error
message: Not here.
rule: { pattern: ${name}() }
metadata: { severity: ${severity} }
`
const TEXTS = ['export {}\n', 'worst()\n', 'bad()\n', 'export {}\n\n\n\nbad()\n', 'worst()\n\n\n\n// old\n']
const FILES = ['src/a.ts', 'src/b.ts']
const signal = new AbortController().signal

/** What was done to a repository before the two were asked, for the message of a failure. */
type History = string[]

const actions: readonly ((repo: Repo, pick: (below: number) => number) => string)[] = [
  (repo, pick) => {
    const [file, text] = [FILES[pick(2)] ?? '', TEXTS[pick(TEXTS.length)] ?? '']
    repo.write({ [file]: text })
    return `write ${file} ${JSON.stringify(text)}`
  },
  (repo) => {
    repo.git('add', '-A', '--', 'src')
    return 'add'
  },
  (repo) => {
    repo.git('commit', '-q', '--no-verify', '--allow-empty', '-m', 'x')
    return 'commit'
  },
  (repo) => {
    repo.git('reset', '-q', '--hard')
    return 'reset --hard'
  },
  (repo) => {
    repo.git('reset', '-q')
    return 'reset'
  },
  (repo) => {
    repo.git('update-ref', 'refs/remotes/origin/main', 'HEAD')
    return 'push'
  },
]

/** Asks the gate, the check and `why` about generated states of a repository; returns where they differ. */
export const findContradictions = async (seed: number, states: number) => {
  let state = seed
  const pick = (below: number) => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
  const repo = Repo.init().commit({
    '.warrant/rules/worst.yml': rule('worst', 'CRITICAL'),
    '.warrant/rules/bad.yml': rule('bad', 'ERROR'),
    'src/a.ts': 'export {}\n',
    'src/b.ts': 'export {}\n',
  })
  const environment = gateEnvironment()
  const { config } = loadConfig({}, { environment, cwd: repo.folder })
  const context = { environment, clock: systemClock }
  const folder = resolve(repo.folder)
  const service = createGateService({ ...config, store: 'memory' }, folder, context)
  const judge = async (stage: GateStage) => {
    const gate = await openGate(config, { ...context, folder, signal })
    const request = { stage, scope: undefined, policyFrom: 'base' as const, write: false, progress: () => {} }
    return (await runGate(gate.ports, request, signal)).report.status
  }
  const contradictions: { readonly stage: GateStage; readonly history: History }[] = []
  const seen = { allowed: 0, blocked: 0 }
  const history: History = []
  for (let at = 0; at < states; at++) {
    for (let step = 1 + pick(3); step > 0; step--)
      history.push(actions[pick(actions.length)]?.(repo, pick) ?? '')
    const made = GATE_STAGES[pick(5)]
    if (made !== undefined) {
      const scope = ([undefined, { kind: 'worktree' }, { kind: 'staged' }] as const)[pick(3)]
      const { status } = await service.run({ stage: made, scope }, () => {}, signal)
      history.push(`gate ${made} ${scope?.kind ?? ''} ${status}`)
    }
    const stage = GATE_STAGES[pick(4)] ?? 'CI'
    const verdict = await judge(stage)
    const check = await service.judge(stage, signal)
    const { status } = await service.why({ stage, about: undefined }, signal)
    seen[verdict === 'BLOCKED' ? 'blocked' : 'allowed'] += 1
    if (check.status !== verdict || status !== verdict)
      contradictions.push({ stage, history: history.slice(-12) })
  }
  return { contradictions, seen }
}

import { expect, it } from 'vitest'
import { BACKEND, gate, gateJson } from '../support/gate.ts'
import { Repo } from '../support/repository.ts'

/** What the profiles report, by which names a rule is known, and that a repository cannot choose its profile. */

const CODE = `export const pay = (order: any) => {
  console.log(order)
  try { send(order) } catch {}
}
`
const LOG = 'javascript.no-console-log'
const FORMER = 'backend.no-console-log'
const SEED = ['--profile', 'seed']

const repo = Repo.init().commit({ 'package.json': BACKEND, 'src/pay.ts': CODE })

const judge = (...args: string[]) =>
  gateJson(repo, ['--all', '--stage', 'PRE_WRITE', '--no-evidence', ...args])
const rows = ({ findings }: ReturnType<typeof judge>) =>
  findings.map(({ severity, state, ruleId, region }) => `${severity} ${state} ${ruleId}:${region?.line}`)

const QUIET = [`WARN new ${LOG}:2`, 'WARN new javascript.empty-catch:3']
const FORMER_RULES = [
  'WARN new backend.avoid-explicit-any:1',
  `CRITICAL new ${FORMER}:2`,
  'CRITICAL new backend.no-empty-catch:3',
]

it('is quiet by default, and has the former rules with their severities under the profile seed', () => {
  const quiet = judge()
  expect(rows(quiet)).toEqual(QUIET)
  // One finding for a place, whatever names report it.
  expect(quiet.findings[0]?.aliases).toContain(FORMER)
  const seed = judge(...SEED)
  expect(rows(seed)).toEqual(FORMER_RULES)
  expect(seed.findings[1]?.aliases).toEqual([LOG])
})

it('takes a former name in an override and a suppression', () => {
  repo.commit({ '.warrant/rules/severities.yml': `severities:\n  skills.frontend.no-console-log: OFF\n` })
  expect(rows(judge())).toEqual(['WARN new javascript.empty-catch:3'])
  repo.git('rm', '-q', '.warrant/rules/severities.yml')
  const comment = `// warrant-ignore ${FORMER}: a receipt`
  repo.commit({ 'src/pay.ts': CODE.replace('(order)\n', `(order) ${comment}\n`) })
  expect(rows(judge())).toEqual([`WARN suppressed ${LOG}:2`, 'WARN new javascript.empty-catch:3'])
  repo.commit({ 'src/pay.ts': CODE })
})

it('takes the profile from its operator, not from the repository that is judged', () => {
  repo.commit({ 'warrant.json': '{"profile":"seed"}' })
  const { stdout, stderr } = gate(repo, ['--all', '--stage', 'PRE_WRITE', '--no-evidence', '--json'])
  expect(rows({ code: 0, ...JSON.parse(stdout) })).toEqual(QUIET)
  expect(stderr).toContain('profile is ignored')
  repo.commit({ 'warrant.json': '{"profile":"default"}' })
  const chosen = gateJson(repo, ['--all', '--stage', 'PRE_WRITE', '--no-evidence'], {
    env: { WARRANT_PROFILE: 'seed' },
  })
  expect(rows(chosen)).toEqual(FORMER_RULES)
})

it('judges by the rules too where the specification refuses, and under the profile seed does not', () => {
  const specified = Repo.init().commit({
    'package.json': BACKEND,
    'src/pay.ts': CODE,
    'openspec/project.md': '',
  })
  const run = (...args: string[]) =>
    gateJson(specified, ['--all', '--no-evidence', ...args], { env: { PATH: '/usr/bin:/bin' } })
  const both = run()
  expect(both).toMatchObject({ code: 1, outcome: 'BLOCK' })
  expect(both.findings.map(({ ruleId }) => ruleId).sort()).toEqual([
    'javascript.empty-catch',
    LOG,
    'sdd.policy.blocked',
  ])
  expect(both.findings.find(({ ruleId }) => ruleId === 'sdd.policy.blocked')?.message).toContain('Install it')
  expect(run(...SEED).findings.map(({ ruleId }) => ruleId)).toEqual(['sdd.policy.blocked'])
})

import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { afterAll } from 'vitest'
import type { Evidence } from '../../src/evidence/schema.ts'
import type { GateReport } from '../../src/gate/reports/report.ts'
import { BINARY, cleanEnvironment } from './binary.ts'
import { GIT_ENVIRONMENT, type Repo } from './repository.ts'

interface GateOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
}

let profile: Readonly<Record<string, string>> = {}

/** For the tests of a file that plant what the rules of earlier versions report, such as `LOG`. */
export const useSeedProfile = (): void => {
  profile = { WARRANT_PROFILE: 'seed' }
  afterAll(() => {
    profile = {}
  })
}

/** The environment of the gate under test. */
export const gateEnvironment = (extra: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv => {
  const { NO_COLOR: _, ...rest } = cleanEnvironment()
  const { GIT_CONFIG_GLOBAL, GIT_CONFIG_SYSTEM } = GIT_ENVIRONMENT
  return { ...rest, GIT_CONFIG_GLOBAL, GIT_CONFIG_SYSTEM, ...profile, ...extra }
}

/** Runs `warrant gate` in a repository. */
export const gate = (repo: Repo, args: readonly string[] = [], { cwd, env }: GateOptions = {}) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BINARY, 'gate', ...args], {
    cwd: cwd ?? repo.folder,
    env: gateEnvironment(env),
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  return { status, stdout, stderr }
}

export const gateJson = (repo: Repo, args: readonly string[] = [], options: GateOptions = {}) => {
  const { status, stdout, stderr } = gate(repo, [...args, '--json'], options)
  if (stdout === '') throw new Error(stderr)
  return { code: status, ...(JSON.parse(stdout) as GateReport & { error?: { code: string } }) }
}

/** Resolves with the exit code. */
export const gateAsync = (repo: Repo, args: readonly string[]): Promise<number | null> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [BINARY, 'gate', ...args], {
      cwd: repo.folder,
      env: gateEnvironment(),
      stdio: 'ignore',
    })
    child.on('error', reject)
    child.on('close', resolve)
  })

export const readEvidence = (repo: Repo): Evidence =>
  JSON.parse(readFileSync(repo.path('.ai_evidence.json'), 'utf8')) as Evidence

/** Rule and place of each finding. */
export const places = ({ findings }: GateReport): string[] =>
  findings.map(
    ({ ruleId, file, region }) => `${ruleId} ${file}${region === undefined ? '' : `:${region.line}`}`,
  )

export const LOG = "console.log('x')\n"
/** A package.json that makes a folder a backend. */
export const BACKEND = JSON.stringify({ dependencies: { express: '5' } })

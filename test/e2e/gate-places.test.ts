import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { describePeers, peerFile } from '../peers/peers.ts'
import { runAction } from '../support/action.ts'
import { BINARY, Program, sweep } from '../support/binary.ts'
import { BACKEND, gateEnvironment, LOG, readEvidence, useSeedProfile } from '../support/gate.ts'
import { writeScript } from '../support/openspec.ts'
import { makePem } from '../support/private-key.ts'
import { GIT_ENVIRONMENT, Repo } from '../support/repository.ts'

useSeedProfile()

afterAll(sweep)

const local = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const CLEAN = 'export const a = 1\n'

/** A clone of a project, on a branch of its own. */
const checkOut = (): Repo => {
  const origin = Repo.init('main').commit({ 'package.json': BACKEND, 'src/ok.ts': CLEAN })
  const repo = new Repo()
  repo.git('clone', '-q', origin.folder, '.')
  repo.git('checkout', '-q', '-b', 'feature/x')
  return repo
}

/** A folder for the path in which `name` runs our program with the words from `first` on. */
const program = (name: string, first: number): string => {
  const folder = new Repo().folder
  writeScript(join(folder, name), `shift ${first}; exec "${process.execPath}" "${BINARY}" "$@"`)
  return folder
}

const withPath = (folder: string, extra: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv => ({
  ...gateEnvironment(extra),
  ...GIT_ENVIRONMENT,
  PATH: `${folder}${delimiter}${process.env.PATH}`,
})

/** A fake `npm` that installs this build into its working directory only, and writes down how it was called. */
const installer = (): string => {
  const folder = new Repo().folder
  writeScript(
    join(folder, 'npm'),
    `if [ "$1" = pack ]; then echo "$PWD $@" > "${folder}/packed"; for last in "$@"; do :; done; touch "$last/warrant-9.9.9.tgz"; exit; fi; echo "$@" > "${folder}/called"; ls -a > "${folder}/found"; cat .npmrc >> "${folder}/found"; mkdir -p node_modules/.bin && ln -s "${BINARY}" node_modules/.bin/warrant && chmod +x node_modules/.bin/warrant`,
  )
  return folder
}

const inBuild = (
  repo: Repo,
  inputs: Readonly<Record<string, string>> = {},
  env: Readonly<Record<string, string>> = { GITHUB_BASE_REF: 'main' },
) => {
  const folder = installer()
  const result = runAction(local('action.yml'), repo.folder, inputs, withPath(folder, env))
  return { ...result, npm: (name: 'called' | 'found' | 'packed') => readFileSync(join(folder, name), 'utf8') }
}

describe('the action', () => {
  it('judges what a pull request brings, writes SARIF for the upload, and then fails the job', () => {
    const repo = checkOut().commit({ 'src/a.ts': LOG })
    const { status, outputs, used } = inBuild(repo)
    expect(status).toBe(1)
    expect(JSON.parse(readFileSync(outputs.sarif ?? '', 'utf8')).runs[0].results).toMatchObject([
      { ruleId: 'backend.no-console-log', level: 'error' },
    ])
    expect(used.map((name) => name.split('@')[0])).toEqual([
      'actions/setup-node',
      'github/codeql-action/upload-sarif',
    ])
    // A name may be moved to other code; a commit may not.
    for (const name of used) expect(name).toMatch(/@[0-9a-f]{40}$/)
    expect(readEvidence(repo).snapshot).toMatchObject({ stage: 'CI', outcome: 'BLOCK' })
  })

  it('passes what is clean, and uploads nothing when it shall not', () => {
    const { status, outputs, used } = inBuild(checkOut().commit({ 'src/a.ts': CLEAN }), { upload: 'false' })
    expect([status, used.length]).toEqual([0, 1])
    expect(JSON.parse(readFileSync(outputs.sarif ?? '', 'utf8')).runs[0].results).toEqual([])
  })

  it('runs nothing that the pull request calls by our name', () => {
    const own = { name: 'warrant', version: '0.1.0', bin: { warrant: 'gate.js' } }
    const repo = checkOut().commit({
      'src/a.ts': LOG,
      'node_modules/warrant/package.json': JSON.stringify(own),
      'node_modules/warrant/gate.js': "require('node:fs').writeFileSync('pwned', '')\n",
    })
    mkdirSync(repo.path('node_modules/.bin'))
    symlinkSync('../warrant/gate.js', repo.path('node_modules/.bin/warrant'))
    expect([inBuild(repo).status, existsSync(repo.path('pwned'))]).toEqual([1, false])
  })

  it('judges the commits that the event names, whatever is tagged and checked out', () => {
    const repo = checkOut().commit({ 'src/a.ts': LOG }).commit({ 'src/b.ts': CLEAN })
    const [base, head] = ['HEAD~2', 'HEAD'].map((name) => ({ sha: repo.git('rev-parse', name).trim() }))
    const event = join(new Repo().folder, 'event.json')
    writeFileSync(event, JSON.stringify({ pull_request: { base, head } }))
    repo.git('tag', 'main')
    const env = { GITHUB_EVENT_PATH: event, GITHUB_BASE_REF: 'main' }
    expect(inBuild(repo, {}, env).status).toBe(1)
  })

  it('installs what its own commit builds, without scripts, in a folder that nobody filled', () => {
    const repo = checkOut().commit({ 'src/a.ts': CLEAN })
    const { npm, status } = inBuild(repo, { grammars: '@ast-grep/lang-kotlin@0.0.7' })
    expect(status).toBe(0)
    expect(npm('packed')).toMatch(/^(\S+) pack --silent --userconfig=(\S+)\/user .*--pack-destination \2\n$/)
    expect(npm('packed').split(' ')[0]).toBe(dirname(local('action.yml')))
    expect(npm('called')).toMatch(
      / --ignore-scripts --userconfig=(\S+)\/user --globalconfig=\1\/global \1\/warrant-9\.9\.9\.tgz @ast-grep\/lang-kotlin@0\.0\.7\n$/,
    )
    expect(npm('found')).toBe('.\n..\n.npmrc\n')
    const address = new URL('https://mirror.example').href
    const registry = inBuild(repo, { registry: address })
    for (const call of ['packed', 'called'] as const)
      expect(registry.npm(call)).toContain(` --registry=${address} `)
    for (const grammars of ['@ast-grep/lang-kotlin', '@ast-grep/lang-kotlin@latest', 'file:.', '--global'])
      expect(inBuild(repo, { grammars })).toMatchObject({
        status: 2,
        said: expect.stringContaining('exact'),
      })
  })

  it('takes its inputs for words and not for code, and fails when the gate itself does', () => {
    const repo = checkOut().commit({ 'src/a.ts': CLEAN })
    const { status, said } = inBuild(repo, { range: '$(touch pwned)`touch pwned`"; touch pwned;..HEAD' })
    expect([status, existsSync(repo.path('pwned'))]).toEqual([2, false])
    expect(said).toContain('is not a commit')
    expect(inBuild(repo, { stage: 'LATER' }).status).toBe(2)
    expect(inBuild(repo, { range: 'HEAD~1..HEAD' }).status).toBe(0)
  })
})

describe('receipts in the action', () => {
  const key = makePem()
  let origin: Repo
  let repo: Repo

  const build = (inputs: Readonly<Record<string, string>>, env: Readonly<Record<string, string>> = {}) =>
    inBuild(repo, inputs, { GITHUB_REPOSITORY: 'a/b', GITHUB_EVENT_NAME: 'push', ...env })
  const fork = { GITHUB_EVENT_NAME: 'pull_request', HEAD_REPOSITORY: 'fork/b' }
  const notes = () => origin.git('for-each-ref', '--format=%(refname)', 'refs/notes')
  const blocking = (file: string | undefined): string[] =>
    JSON.parse(readFileSync(file ?? '', 'utf8'))
      .runs[0].results.filter(({ level }: { level: string }) => level === 'error')
      .map(({ ruleId }: { ruleId: string }) => ruleId)

  beforeAll(() => {
    origin = Repo.init('main').commit({ 'src/ok.ts': CLEAN })
    const { folder } = origin
    const env = { ...gateEnvironment({ WARRANT_SIGNING_KEY: key }), ...GIT_ENVIRONMENT }
    const words = ['receipts', 'keys', 'add', '--yes', '--owner', 'CI', '--role', 'ci']
    expect(spawnSync(process.execPath, [BINARY, ...words], { cwd: folder, env }).status).toBe(0)
    origin.git('add', '--force', '.warrant/keys.yml')
    origin.git('commit', '-q', '-m', 'keys')
    repo = new Repo()
    repo.git('clone', '-q', folder, '.')
    repo.git('checkout', '-q', '-b', 'feature/x')
    repo.commit({ 'src/a.ts': CLEAN })
  })

  it('are demanded where the base has keys, and reported for forks, which need no secret and publish nothing', () => {
    const required = build({})
    expect([required.status, blocking(required.outputs.sarif)]).toEqual([1, ['gate.receipt-missing']])
    const reported = build({ 'signing-key': key }, fork)
    expect([reported.status, blocking(reported.outputs.sarif)]).toEqual([0, []])
    expect(build({ receipts: 'require' }, fork).status).toBe(1)
    expect(build({ receipts: 'off' }).status).toBe(0)
    expect(notes()).toBe('')
  })

  it('are signed with the key of CI and published, also when the change is blocked', () => {
    expect(build({ 'signing-key': key }).status).toBe(1)
    expect(notes()).toBe('refs/notes/warrant\nrefs/notes/warrant-witness\n')
    const reader = new Repo()
    reader.git('clone', '-q', repo.folder, '.')
    reader.git('fetch', '-q', origin.folder, 'refs/notes/*:refs/notes/*')
    const words = ['receipts', 'show', 'HEAD', '--json']
    const env = { ...gateEnvironment(), ...GIT_ENVIRONMENT }
    const shown = spawnSync(process.execPath, [BINARY, ...words], {
      cwd: reader.folder,
      env,
      encoding: 'utf8',
    })
    expect(JSON.parse(shown.stdout).receipts).toMatchObject([
      { trust: 'trusted', role: 'ci', stage: 'CI', result: 'FAILED' },
    ])
    expect(build({ 'signing-key': key, receipts: 'report' }).status).toBe(0)
  })

  it('are not signed with a key that is none, and the key is not shown', () => {
    const { status, said } = build({ 'signing-key': '-----BEGIN PRIVATE KEY-----\nsecret' })
    expect(status).not.toBe(0)
    expect(said).toContain('signingKey holds no Ed25519 key')
    expect(said).not.toContain('secret')
  })
})

interface Hook {
  readonly id: string
  readonly entry: string
  readonly language: string
  readonly pass_filenames: boolean
  readonly stages: readonly string[]
}

const HOOKS = parse(readFileSync(local('.pre-commit-hooks.yaml'), 'utf8')) as readonly Hook[]

/** The entry of a hook as pre-commit runs one of language `node`: without a shell, at the top, its package on the path. */
const runHook = (id: string, repo: Repo, extra: Readonly<Record<string, string>> = {}) => {
  const hook = HOOKS.find((one) => one.id === id)
  if (hook?.language !== 'node' || hook.pass_filenames) throw new Error(`${id} is another kind of hook`)
  const [command = '', ...words] = hook.entry.split(' ')
  const env = withPath(program('warrant', 0), { PRE_COMMIT: '1', ...extra })
  return spawnSync(command, words, { cwd: repo.folder, env, encoding: 'utf8' })
}

describe('the hooks for pre-commit', () => {
  it('are programs that the package has', () => {
    const { bin } = JSON.parse(readFileSync(local('package.json'), 'utf8'))
    for (const { entry, stages } of HOOKS) {
      expect(Object.keys(bin)).toContain(entry.split(' ')[0])
      expect(stages).toHaveLength(1)
    }
  })

  it('judge what is staged, and what is pushed', () => {
    const repo = checkOut().stage({ 'src/a.ts': LOG })
    expect(runHook('warrant-gate', repo).status).toBe(1)
    repo.commit({})
    const range = { PRE_COMMIT_FROM_REF: 'origin/main', PRE_COMMIT_TO_REF: 'HEAD' }
    expect(runHook('warrant-gate-push', repo, range).status).toBe(1)
    expect(readEvidence(repo).snapshot).toMatchObject({ stage: 'PRE_PUSH', outcome: 'BLOCK' })
    repo.stage({ 'src/a.ts': CLEAN })
    expect(runHook('warrant-gate', repo).status).toBe(0)
    repo.commit({})
    expect(runHook('warrant-gate-push', repo, range).status).toBe(0)
  })
})

await describePeers('the example for lefthook', () => {
  it('stops a commit and a push that are blocked, and no other', () => {
    const repo = checkOut()
    mkdirSync(repo.path('node_modules/.bin'), { recursive: true })
    symlinkSync(BINARY, repo.path('node_modules/.bin/warrant'))
    repo.write({ '.gitignore': 'node_modules\n.warrant\n.ai_evidence.json\nlefthook.yml\n' })
    copyFileSync(local('examples/lefthook.yml'), repo.path('lefthook.yml'))
    const env = withPath(dirname(peerFile('.bin/lefthook')), { LEFTHOOK_VERBOSE: '0' })
    const run = (...words: string[]) =>
      spawnSync(words[0] ?? '', words.slice(1), { cwd: repo.folder, env, encoding: 'utf8' })
    expect(run('lefthook', 'install').status).toBe(0)
    repo.stage({ 'src/a.ts': LOG })
    const blocked = run('git', 'commit', '-qm', 'x')
    expect(blocked.status).not.toBe(0)
    expect(blocked.stdout + blocked.stderr).toContain('BLOCKED PRE_COMMIT')
    repo.stage({ 'src/a.ts': CLEAN })
    expect(run('git', 'commit', '-qm', 'x').status).toBe(0)
    repo.commit({ 'src/b.ts': LOG })
    expect(run('git', 'push', '-q', 'origin', 'HEAD').status).not.toBe(0)
    repo.commit({ 'src/b.ts': CLEAN })
    expect(run('git', 'push', '-q', 'origin', 'HEAD').status).toBe(0)
  })
})

/** The answer of `ai_gate_check` over MCP. */
const askAgent = async (repo: Repo, stage: string) => {
  const talk = new Program(['mcp'], { cwd: repo.folder })
  const params = { name: 'ai_gate_check', arguments: { stage } }
  talk.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }))
  const [answer] = await talk.answers(1)
  await talk.finish()
  const { result } = answer as {
    result: { structuredContent: { allowed: boolean; violations: { code: string }[] } }
  }
  return result.structuredContent
}

describe('hook, build and agent', () => {
  it.each([
    [LOG, false],
    [CLEAN, true],
  ])('say the same of %j', async (text, allowed) => {
    const repo = checkOut().stage({ 'src/a.ts': text })
    const codes = allowed ? [] : [{ code: 'EVIDENCE_GATE_BLOCKED' }]
    expect(runHook('warrant-gate', repo).status === 0).toBe(allowed)
    const chain = readEvidence(repo).evidence_chain?.payload_hash
    expect(await askAgent(repo, 'PRE_COMMIT')).toMatchObject({ allowed, violations: codes })
    // The agent judged what the hook wrote, and wrote nothing itself.
    expect(readEvidence(repo).evidence_chain?.payload_hash).toBe(chain)
    repo.commit({})
    expect(inBuild(repo).status === 0).toBe(allowed)
    expect(await askAgent(repo, 'CI')).toMatchObject({ allowed, violations: codes })
  })
})

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildEvidence } from '../../src/evidence/build.ts'
import { linkEvidence, writeDocument } from '../../src/evidence/document.ts'
import { readDocument } from '../../src/evidence/read.ts'
import type { Evidence } from '../../src/evidence/schema.ts'
import { EVIDENCE_FILE } from '../../src/evidence/store.ts'
import { fileEvidence } from '../../src/platform/files/evidence-file.ts'
import { withLock } from '../../src/platform/files/file-lock.ts'
import { currentProcess, encodeIdentity } from '../../src/platform/files/process-identity.ts'
import { systemClock } from '../../src/platform/system/clock.ts'
import { eventually } from '../support/binary.ts'
import { caseCount } from '../support/case-count.ts'

const base = mkdtempSync(join(tmpdir(), 'warrant-evidence-'))
const worker = join(base, 'worker.mjs')
beforeAll(async () => {
  await build({
    entryPoints: ['test/contracts/evidence-worker.ts'],
    outfile: worker,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'warning',
  })
})
afterAll(() => rmSync(base, { recursive: true, force: true }))

let folders = 0
const makeRoot = (git = true): string => {
  folders += 1
  const root = join(base, String(folders))
  mkdirSync(root)
  if (git) execFileSync('git', ['init', '-q', root])
  return root
}

const start = (...args: readonly string[]) =>
  spawn(process.execPath, [worker, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })

const judge = (rules: readonly string[], previous?: Evidence): Evidence =>
  buildEvidence(
    {
      stage: 'CI',
      findings: rules.map((ruleId) => ({ ruleId, severity: 'WARN', code: 'C', message: 'm', file: 'a.ts' })),
      platforms: {},
      rulesets: [],
    },
    previous,
    0,
  )

const document = (rules: readonly string[]): string => writeDocument(linkEvidence(judge(rules), undefined))

describe('replacing', () => {
  it('loses nothing when ten processes do it at once, and no reader ever sees a torn file', async () => {
    const root = makeRoot()
    const children = Array.from({ length: 10 }, (_, at) => start('append', root, `w${at}`, '5'))
    const endings = Promise.all(children.map((child) => once(child, 'close')))
    const torn: string[] = []
    let over = false
    const look = async () => {
      const store = fileEvidence(root, systemClock)
      while (!over) {
        const { kind } = await store.read()
        if (kind === 'invalid') torn.push(kind)
        await sleep(1)
      }
    }
    const looking = look()
    expect((await endings).map(([code]) => code)).toEqual(children.map(() => 0))
    over = true
    await looking
    expect(torn).toEqual([])
    const reading = readDocument(readFileSync(join(root, EVIDENCE_FILE)))
    if (reading.kind !== 'valid') throw new Error(JSON.stringify(reading))
    expect(reading.evidence.snapshot.findings).toHaveLength(50)
    expect(reading.evidence.ledger).toHaveLength(50)
    expect(reading.evidence.evidence_chain?.sequence).toBe(50)
    expect(readdirSync(root).sort()).toEqual(['.ai_evidence.json', '.git'])
    expect(readdirSync(join(root, '.git')).filter((name) => name.includes('warrant'))).toEqual([])
  })

  it('takes over from a process that was killed inside, and sweeps up after it', async () => {
    const root = makeRoot()
    const first = start('hang', root)
    await once(first.stdout, 'data')
    const killed = { ...currentProcess(), pid: first.pid as number, start: '1' }
    writeFileSync(join(root, `.draft-${encodeIdentity(killed)}-0123456789ab.tmp`), '{"half":')
    first.kill('SIGKILL')
    await once(first, 'close')
    expect(readdirSync(join(root, '.git'))).toContain('warrant-evidence.lock.1')
    await fileEvidence(root, systemClock).replace((previous) => judge(['a'], previous))
    expect(readdirSync(root).sort()).toEqual(['.ai_evidence.json', '.git'])
    expect(readdirSync(join(root, '.git')).filter((name) => name.includes('warrant'))).toEqual([])
  })

  it('leaves a whole file whenever it is killed', async () => {
    const ROUNDS = caseCount(3, 8)
    const root = makeRoot()
    const store = fileEvidence(root, systemClock)
    for (let round = 0; round < ROUNDS; round += 1) {
      const child = start('append', root, `r${round}`, '1000')
      await once(child.stdout, 'data')
      await sleep(3 * round)
      child.kill('SIGKILL')
      await once(child, 'close')
      expect((await store.read()).kind).toBe('valid')
    }
    const { evidence_chain: chain } = await store.replace((previous) => previous ?? judge([]))
    expect(chain?.sequence).toBeGreaterThan(ROUNDS)
  })

  it('says what is wrong when the place is taken by a folder, and changes nothing', async () => {
    const root = makeRoot()
    mkdirSync(join(root, EVIDENCE_FILE))
    await expect(fileEvidence(root, systemClock).replace(() => judge([]))).rejects.toMatchObject({
      code: 'evidence.unwritable',
    })
    expect(readdirSync(root).sort()).toEqual(['.ai_evidence.json', '.git'])
  })

  it.each([
    ['a linked work tree', true],
    ['a folder without git', false],
  ])('leaves %s clean', async (_, git) => {
    let root = makeRoot(git)
    if (git) {
      const config = ['-c', 'user.name=t', '-c', 'user.email=t@t']
      execFileSync('git', ['-C', root, ...config, 'commit', '-q', '--allow-empty', '-m', 'x'])
      execFileSync('git', ['-C', root, 'worktree', 'add', '-q', `${root}-tree`])
      root = `${root}-tree`
    }
    await fileEvidence(root, systemClock).replace(() => judge([]))
    expect(readdirSync(root).filter((name) => name !== '.git')).toEqual(['.ai_evidence.json'])
  })

  it('writes the same bytes whatever the time zone, the locale and the umask', () => {
    const files = [
      { TZ: 'UTC', LANG: 'C', LC_ALL: 'C' },
      { TZ: 'Pacific/Kiritimati', LANG: 'sv_SE.UTF-8', LC_ALL: 'sv_SE.UTF-8' },
    ].map((env, at) => {
      const root = makeRoot()
      const script = `process.umask(${at === 0 ? 0 : 0o77}); process.argv = [process.argv[0], 'w', 'fixed', ${JSON.stringify(root)}]; await import(${JSON.stringify(worker)})`
      execFileSync(process.execPath, ['--input-type=module', '-e', script], {
        env: { PATH: process.env.PATH, ...env },
      })
      return readFileSync(join(root, EVIDENCE_FILE), 'utf8')
    })
    expect(files[0]).toContain('\u00e9')
    expect(files[1]).toBe(files[0])
  })
})

describe('reading', () => {
  it('gives the same reading until the file changes, also when it changes twice in one breath', async () => {
    const root = makeRoot()
    const path = join(root, EVIDENCE_FILE)
    const store = fileEvidence(root, systemClock)
    expect(await store.read()).toEqual({ kind: 'missing' })
    const rules = ['aa', 'bb', 'cc', 'dd']
    for (const rule of [...rules, ...rules]) {
      // In place and of the same length: only the mtime differs, and it is coarse.
      writeFileSync(path, document([rule]))
      const reading = await store.read()
      expect(reading).toMatchObject({
        kind: 'valid',
        evidence: { snapshot: { findings: [{ ruleId: rule }] } },
      })
      expect(await store.read()).toBe(reading)
    }
    rmSync(path)
    expect(await store.read()).toEqual({ kind: 'missing' })
  })

  it.each([
    ['a link out of the repository', (path: string) => symlinkSync('/etc/hostname', path)],
    ['a pipe without a writer', (path: string) => void execFileSync('mkfifo', [path])],
    ['a folder', (path: string) => mkdirSync(path)],
    ['a link to itself', (path: string) => symlinkSync(EVIDENCE_FILE, path)],
  ])('finds %s unreadable, without following or waiting', async (_, make) => {
    const root = makeRoot()
    make(join(root, EVIDENCE_FILE))
    const store = fileEvidence(root, systemClock)
    expect(await store.read()).toEqual({ kind: 'invalid', reason: 'unreadable' })
    expect(await store.read()).toBe(await store.read())
  })

  it('reports a change, and stops when the watch is closed', async () => {
    const root = makeRoot()
    const store = fileEvidence(root, systemClock)
    let news = 0
    const stop = store.watch(() => {
      news += 1
    })
    writeFileSync(join(root, 'README.md'), 'not evidence')
    await store.replace(() => judge(['a']))
    await eventually('news of the change', () => news === 1)
    stop()
    await store.replace(() => judge(['b']))
    await sleep(100)
    expect(news).toBe(1)
  })
})

describe('the lock', () => {
  const shortWait = { clock: systemClock, waitMs: 60 }

  it('is refused after a while, naming its holder', async () => {
    const path = join(makeRoot(), '.git', 'x.lock')
    await withLock(path, shortWait, async () => {
      await expect(withLock(path, shortWait, async () => {})).rejects.toMatchObject({
        code: 'lock.busy',
        message: expect.stringContaining(`process ${process.pid}`),
      })
    })
    await withLock(path, shortWait, async () => {})
    expect(readdirSync(join(path, '..')).filter((name) => name.startsWith('x.lock'))).toEqual([])
  })

  const claim = (more: object) => {
    let text = ''
    return async (path: string) => {
      await withLock(path, shortWait, async () => {
        text = readFileSync(`${path}.1`, 'utf8')
      })
      writeFileSync(`${path}.1`, JSON.stringify({ ...JSON.parse(text), ...more }))
    }
  }

  it.each([
    ['whose number now belongs to another process', { start: '1' }],
    ['of a boot before this one', { boot: 'other' }],
    ['whose process is gone', { pid: 2 ** 22 + 1 }],
  ])('is taken over from an owner %s', async (_, more) => {
    const path = join(makeRoot(), '.git', 'x.lock')
    await claim(more)(path)
    await withLock(path, shortWait, async () => {
      expect(
        readdirSync(join(path, '..'))
          .filter((name) => name.startsWith('x.lock'))
          .sort(),
      ).toEqual(['x.lock.1', 'x.lock.2'])
    })
  })

  it.each([
    ['of another machine', { host: 'elsewhere', pid: 2 ** 22 + 1 }],
    ['of another container', { space: 'pid:[1]', pid: 2 ** 22 + 1 }],
  ])('is not taken from an owner %s, whom we cannot judge', async (_, more) => {
    const path = join(makeRoot(), '.git', 'x.lock')
    await claim(more)(path)
    await expect(withLock(path, shortWait, async () => {})).rejects.toMatchObject({ code: 'lock.busy' })
  })

  it('is held by one at a time although many find its owner dead at once', async () => {
    const path = join(makeRoot(), '.git', 'x.lock')
    for (let round = 0; round < 10; round += 1) {
      await claim({ pid: 2 ** 22 + 1 })(path)
      let inside = 0
      let most = 0
      const work = async () => {
        inside += 1
        most = Math.max(most, inside)
        await sleep(1)
        inside -= 1
      }
      await Promise.all(
        Array.from({ length: 8 }, () => withLock(path, { clock: systemClock, waitMs: 10_000 }, work)),
      )
      expect(most).toBe(1)
    }
  })
})

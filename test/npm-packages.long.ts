import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NPM_PACKAGES } from './support/npm-packages.ts'

const run = promisify(execFile)

const AT_LEAST = 300
/** Names for each run of npm, whose start takes longer than a download. */
const BATCH = 20
const MAX_SECONDS = 60

const folder = mkdtempSync(join(tmpdir(), 'npm-packages-'))
const state = join(folder, 'state')
const archives = join(folder, 'archives')

/** Packages that exist in the registry of this machine. A batch with an unknown name is packed name by name. */
const pack = async (names: readonly string[]): Promise<void> => {
  const args = ['pack', ...names, '--pack-destination', archives, '--silent', '--ignore-scripts']
  try {
    await run('npm', args, { cwd: folder, timeout: 300_000, maxBuffer: 64 * 1024 * 1024 })
  } catch {
    if (names.length > 1) for (const name of names) await pack([name])
  }
}

interface Outcome {
  readonly name: string
  readonly seconds: number
  readonly filesRead: number
  readonly failure: string
}

/** What `--json` says about the files. */
interface Described {
  readonly system: { readonly coverage: { readonly languages: readonly { readonly read: number }[] } }
}

const report = async (archive: string): Promise<Outcome> => {
  const root = join(folder, 'packages', archive.replace(/\.tgz$/, ''))
  mkdirSync(root, { recursive: true })
  await run('tar', ['-xzf', join(archives, archive), '-C', root, '--strip-components=1'])
  const before = performance.now()
  const args = ['dist/bin/warrant.js', 'report', '--root', root, '--json']
  const env = { ...process.env, XDG_STATE_HOME: state }
  const end = (filesRead: number, failure: string): Outcome => ({
    name: archive,
    seconds: (performance.now() - before) / 1_000,
    filesRead,
    failure,
  })
  try {
    const { stdout } = await run(process.execPath, args, { env, maxBuffer: 256 * 1024 * 1024 })
    const { coverage } = (JSON.parse(stdout) as Described).system
    const failed = /step_failed/.exec(stdout) === null ? '' : 'a detector failed'
    return end(
      coverage.languages.reduce((sum, { read }) => sum + read, 0),
      failed,
    )
  } catch (thrown) {
    return end(0, String(thrown).slice(0, 500))
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

describe('reports about packages of npm', () => {
  const outcomes: Outcome[] = []

  beforeAll(async () => {
    mkdirSync(archives)
    for (let at = 0; at < NPM_PACKAGES.length; at += BATCH) await pack(NPM_PACKAGES.slice(at, at + BATCH))
    for (const archive of readdirSync(archives).sort()) outcomes.push(await report(archive))
    const slowest = outcomes.toSorted((a, b) => b.seconds - a.seconds).slice(0, 5)
    const files = outcomes.reduce((sum, { filesRead }) => sum + filesRead, 0)
    process.stdout.write(
      `${outcomes.length} packages, ${outcomes.filter(({ filesRead }) => filesRead > 0).length} with sources, ${files} files read; slowest: ${slowest.map(({ name, seconds }) => `${name} ${seconds.toFixed(1)} s`).join(', ')}\n`,
    )
  }, 3_600_000)

  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('crash on none of them', () => {
    expect(outcomes.filter(({ failure }) => failure !== '')).toEqual([])
  })

  it('are about at least 300 packages with sources', () => {
    expect(outcomes.filter(({ filesRead }) => filesRead > 0).length).toBeGreaterThanOrEqual(AT_LEAST)
  })

  it('end in bounded time', () => {
    expect(outcomes.filter(({ seconds }) => seconds > MAX_SECONDS)).toEqual([])
  })
})

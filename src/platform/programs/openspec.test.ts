import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { makeFolder, sweep } from '../../../test/support/binary.ts'
import { isRunning } from '../../../test/support/process.ts'
import { openSpecProgram } from './openspec.ts'

afterAll(sweep)

const OWN = 'node_modules/.bin/openspec'
const named = (root: string) => ({ named: join(root, OWN), fromRepository: true })
const script = async (path: string, body: string): Promise<void> => {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, `#!/bin/sh\n${body}\n`)
  await chmod(path, 0o755)
}

const { signal } = new AbortController()
const BASE = { PATH: '/usr/bin:/bin', HOME: '/nowhere' }

describe('the openspec program', () => {
  it('is the one on the PATH, and one of the repository only when it is named and may be', async () => {
    const [root, elsewhere] = [await makeFolder(), await makeFolder()]
    await script(join(elsewhere, 'openspec'), 'echo path')
    const program = openSpecProgram(root, { ...BASE, PATH: `${elsewhere}:${BASE.PATH}` })
    expect((await program.run(['--version'], signal))?.stdout).toBe('path\n')
    await script(join(root, OWN), 'echo own')
    expect((await program.run(['--version'], signal))?.stdout).toBe('path\n')
    const environment = { ...BASE, PATH: `${elsewhere}:${BASE.PATH}` }
    const answer = async (options: Parameters<typeof openSpecProgram>[2]) =>
      (await openSpecProgram(root, environment, options).run(['--version'], signal))?.stdout
    expect(await answer(named(root))).toBe('own\n')
    expect(await answer({ ...named(root), fromRepository: false })).toBe('path\n')
  })

  it('is not one that npx or a link puts on the PATH from the repository', async () => {
    const [root, links] = [await makeFolder(), await makeFolder()]
    await script(join(root, OWN), 'echo own')
    await symlink(join(root, OWN), join(links, 'openspec'))
    await symlink(join(root, 'node_modules/.bin'), join(links, 'bin'))
    const path = [join(root, 'node_modules/.bin'), links, join(links, 'bin'), BASE.PATH].join(':')
    const program = openSpecProgram(root, { ...BASE, PATH: path })
    expect(await program.run(['--version'], signal)).toBeUndefined()
    expect(await program.find()).toEqual({ exists: false, note: expect.stringContaining('--openspec') })
  })

  it('is never one of a parent folder or of a relative PATH entry', async () => {
    const above = await makeFolder()
    const root = join(above, 'inner')
    await mkdir(root)
    await script(join(above, OWN), 'echo above')
    await script(join(root, 'openspec'), 'echo here')
    const program = openSpecProgram(root, { ...BASE, PATH: `.::node_modules/.bin:${BASE.PATH}` })
    expect(await program.run(['--version'], signal)).toBeUndefined()
  })

  it('gets only the variables of locations from our environment', async () => {
    const root = await makeFolder()
    await script(join(root, OWN), 'env')
    const secret = { AWS_SECRET_ACCESS_KEY: 's3cr3t', WARRANT_TOKEN: 's3cr3t', NODE_OPTIONS: '--x' }
    const answer = await openSpecProgram(root, { ...BASE, ...secret }, named(root)).run(['--version'], signal)
    expect(answer?.stdout).toContain('HOME=/nowhere')
    expect(answer?.stdout).toContain('OPENSPEC_TELEMETRY=0')
    expect(answer?.stdout).not.toMatch(/s3cr3t|NODE_OPTIONS/)
  })

  it('is killed with all its children after the time limit', async () => {
    const root = await makeFolder()
    await script(join(root, OWN), 'sleep 300 & echo $! > child.pid; wait')
    const program = openSpecProgram(root, BASE, { ...named(root), validateMs: 500 })
    expect(await program.run(['validate'], signal)).toMatchObject({ cut: 'time', exitCode: undefined })
    const child = Number(await readFile(join(root, 'child.pid'), 'utf8'))
    expect(child).toBeGreaterThan(1)
    expect(isRunning(child)).toBe(false)
  })

  it('is killed when it writes more than the limit', async () => {
    const root = await makeFolder()
    await script(join(root, OWN), 'exec yes')
    const answer = await openSpecProgram(root, BASE, named(root)).run(['validate'], signal)
    expect(answer).toMatchObject({ cut: 'size' })
    expect(answer?.stdout.length).toBeLessThanOrEqual(4 * 1024 * 1024)
  })

  it('is killed when the call is aborted', async () => {
    const root = await makeFolder()
    await script(join(root, OWN), 'echo started > started; exec sleep 300')
    const controller = new AbortController()
    const running = openSpecProgram(root, BASE, named(root)).run(['validate'], controller.signal)
    while ((await readFile(join(root, 'started'), 'utf8').catch(() => '')) === '');
    controller.abort()
    expect(await running).toMatchObject({ cut: 'time' })
  })

  it('gets its arguments unchanged, without a shell', async () => {
    const root = await makeFolder()
    await script(join(root, OWN), 'echo "$1"')
    const answer = await openSpecProgram(root, BASE, named(root)).run(['$(touch pwned); `x`'], signal)
    expect(answer?.stdout).toBe('$(touch pwned); `x`\n')
  })
})

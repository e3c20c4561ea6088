import { execFileSync } from 'node:child_process'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { systemClock } from '../system/clock.ts'
import { withLock } from './file-lock.ts'
import { currentProcess, encodeIdentity, type ProcessIdentity } from './process-identity.ts'

/** A process of this machine that has ended. */
const deadOwner = (): ProcessIdentity => {
  const pid = Number(execFileSync('sh', ['-c', 'echo $$'], { encoding: 'utf8' }))
  return { ...currentProcess(), pid, start: '1' }
}

it('removes drafts of dead processes, also empty ones, and keeps those of living processes', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'warrant-lock-'))
  try {
    const [dead, alive] = [deadOwner(), currentProcess()].map(
      (owner) => `.draft-${encodeIdentity(owner)}-00ff.tmp`,
    )
    for (const name of [dead, alive, '.draft-other.tmp', '.y.lock.1'])
      await writeFile(join(folder, `${name}`), '')
    const seen = await withLock(join(folder, '.x.lock'), { clock: systemClock, waitMs: 5_000 }, () =>
      readdir(folder),
    )
    expect(seen.sort()).toEqual([alive, '.x.lock.1', '.draft-other.tmp', '.y.lock.1'].sort())
    expect((await readdir(folder)).sort()).toEqual([alive, '.draft-other.tmp', '.y.lock.1'].sort())
  } finally {
    await rm(folder, { recursive: true })
  }
})

it('names the process that holds a lock, and not the dead one that held it before', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'warrant-lock-'))
  try {
    const path = join(folder, '.x.lock')
    await writeFile(`${path}.1`, JSON.stringify({ ...deadOwner(), id: '00' }))
    await withLock(path, { clock: systemClock, waitMs: 5_000 }, async () => {
      const busy = withLock(path, { clock: systemClock, waitMs: 10 }, async () => undefined)
      await expect(busy).rejects.toMatchObject({
        code: 'lock.busy',
        message: expect.stringContaining(`by process ${process.pid} `),
      })
    })
  } finally {
    await rm(folder, { recursive: true })
  }
})

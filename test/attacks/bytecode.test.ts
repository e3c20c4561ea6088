import { spawnSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Script } from 'node:vm'
import { afterAll, describe, expect, it } from 'vitest'
import { makeFolder, sweep } from '../support/binary.ts'

afterAll(sweep)

/** The program with bytecode of other code of the same length, beside the text of one of its chunks. */
const plantBytecode = (folder: string): void => {
  const chunks = join(folder, 'chunks')
  const caches = readdirSync(chunks).filter((name) => /^gate-[\w-]{8}\.code\.js\./.test(name))
  expect(caches).not.toEqual([])
  for (const name of caches) {
    const filename = join(chunks, name.replace(/(\.code\.js)\..*$/, '$1'))
    const length = readFileSync(filename).length
    const canary = "(function(exports,require,module,__filename,__dirname){process.stdout.write('CANARY');"
    const text = `${canary.padEnd(length - 3)}\n})`
    writeFileSync(join(chunks, name), new Script(text, { filename }).createCachedData())
  }
}

describe('Bytecode that was exchanged', () => {
  it('is not run', async () => {
    const folder = await makeFolder()
    cpSync('dist', folder, { recursive: true })
    plantBytecode(folder)
    const run = spawnSync(process.execPath, [join(folder, 'bin/warrant.js'), 'gate'], {
      cwd: folder,
      encoding: 'utf8',
    })
    expect(run.stdout + run.stderr).not.toContain('CANARY')
    expect(run.stderr).toContain('git')
  })
})

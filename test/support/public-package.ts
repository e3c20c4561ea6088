import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from './binary.ts'
import { npmEnvironment } from './extra-certificates.ts'

export interface PublicPackage {
  readonly name: string
  readonly version: string
  /** As the registry states it: what comes must be exactly this. */
  readonly integrity: string
}

const AWAY = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH)\b/

const pack = (folder: string, what: string): string | undefined => {
  try {
    const said = execFileSync('npm', ['pack', what, '--silent', '--ignore-scripts', '--fetch-retries=1'], {
      cwd: folder,
      env: npmEnvironment(),
      encoding: 'utf8',
      stdio: 'pipe',
    })
    return said.trim().split('\n').at(-1)
  } catch (cause) {
    if (process.env.CI !== 'true' && AWAY.test(String((cause as { stderr?: unknown }).stderr)))
      return undefined
    throw cause
  }
}

/** The files of a package that somebody published; undefined when the network is away, except in CI. */
export const fetchPackage = async ({
  name,
  version,
  integrity,
}: PublicPackage): Promise<string | undefined> => {
  const folder = await makeFolder()
  const file = pack(folder, `${name}@${version}`)
  if (file === undefined) return undefined
  const digest = createHash('sha512')
    .update(readFileSync(join(folder, file)))
    .digest('base64')
  if (`sha512-${digest}` !== integrity) throw new Error(`${name} is not what it was`)
  execFileSync('tar', ['-xzf', file], { cwd: folder })
  return join(folder, 'package')
}

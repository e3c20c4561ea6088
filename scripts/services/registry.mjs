// @ts-check
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findBinary } from './install.mjs'
import { launch } from './launch.mjs'

const binary = () => findBinary(['docker-registry'])

/**
 * The registry takes bcrypt only. On Debian, crypt(3) can do it and perl is always there to call it.
 *
 * @param {string} password
 */
function hashPassword(password) {
  const salt = `$2y$05$${randomBytes(11).toString('hex').slice(0, 21)}.`
  const attempts = [
    spawnSync('perl', ['-e', 'print crypt(shift, shift)', password, salt], { encoding: 'utf8' }),
    spawnSync('htpasswd', ['-nbB', '-C', '5', 'user', password], { encoding: 'utf8' }),
  ]
  return attempts.map(({ stdout }) => /\$2[aby]\$\S{56}/.exec(stdout ?? '')?.[0]).find(Boolean)
}

/**
 * @param {import('./launch.mjs').Session} session
 * @param {string} name
 * @param {{ htpasswd?: { realm: string, path: string } }} [auth]
 */
async function startOne(session, name, auth) {
  const program = binary()
  if (!program) throw new Error('docker-registry is not installed')
  const home = join(session.folder, name)
  const config = join(home, 'config.yml')
  const mark = randomBytes(8).toString('hex')
  mkdirSync(home, { mode: 0o700, recursive: true })
  return await launch(session, {
    name,
    command: (port) => {
      const settings = {
        version: '0.1',
        log: { level: 'info', accesslog: { disabled: true } },
        storage: { filesystem: { rootdirectory: join(home, 'data') }, delete: { enabled: true } },
        http: { addr: `127.0.0.1:${port}`, secret: mark, headers: { 'X-Test-Run': [mark] } },
        ...(auth && { auth }),
      }
      // YAML is a superset of JSON.
      writeFileSync(config, JSON.stringify(settings))
      return [program, 'serve', config]
    },
    ready: async (port) => {
      try {
        const answer = await fetch(`http://127.0.0.1:${port}/v2/`, { signal: AbortSignal.timeout(2000) })
        await answer.arrayBuffer()
        // Another registry may have taken the port meanwhile, and would answer just as well.
        return answer.headers.get('x-test-run') === mark
      } catch {
        return false
      }
    },
    stopSignal: 'SIGTERM',
  })
}

/** @type {import('./install.mjs').Service['start']} */
async function start(session) {
  const password = randomBytes(12).toString('hex')
  const home = join(session.folder, 'registry-auth')
  const path = join(home, 'htpasswd')
  mkdirSync(home, { mode: 0o700 })
  writeFileSync(path, `warrant:${hashPassword(password)}\n`)
  const [open, closed] = await Promise.all([
    startOne(session, 'registry'),
    startOne(session, 'registry-auth', { htpasswd: { realm: 'warrant', path } }),
  ])
  return {
    WARRANT_TEST_REGISTRY: `127.0.0.1:${open}`,
    WARRANT_TEST_REGISTRY_AUTH: `warrant:${password}@127.0.0.1:${closed}`,
  }
}

/** @type {import('./install.mjs').Service} */
export const registry = {
  name: 'registry',
  title: 'OCI registry',
  binary,
  missing: () => [...(binary() ? [] : ['docker-registry']), ...(hashPassword('-') ? [] : ['apache2-utils'])],
  start,
}

// @ts-check
import { execFile } from 'node:child_process'
import { chownSync, mkdirSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { findBinary, isRoot, pinnedFolders } from './install.mjs'
import { cleanEnv, launch } from './launch.mjs'

const debianRoot = '/usr/lib/postgresql'

function debianFolders() {
  try {
    const versions = readdirSync(debianRoot).sort((a, b) => Number(b) - Number(a))
    return versions.map((version) => join(debianRoot, version, 'bin'))
  } catch {
    return []
  }
}

/** The folder both programs are in, because initdb and postgres have to be of one version. */
function findFolder() {
  const initdb = findBinary(['initdb'])
  const candidates = initdb ? [dirname(initdb), dirname(realpathSync(initdb))] : []
  if (!pinnedFolders) candidates.push(...debianFolders())
  return candidates.find((folder) => findBinary(['initdb'], [folder]) && findBinary(['postgres'], [folder]))
}

function binary() {
  const folder = findFolder()
  return folder && join(folder, 'postgres')
}

/** PostgreSQL refuses to run as root. */
function findUser() {
  if (!isRoot) return {}
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  const user = users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody')
  if (!user) throw new Error('PostgreSQL needs a user other than root: neither postgres nor nobody exists')
  return { uid: Number(user[2]), gid: Number(user[3]) }
}

/** @param {string} data */
function isReady(data) {
  try {
    // What pg_ctl waits for. Unlike an answer on the port, it cannot come from someone else's server.
    return readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[7]?.trim() === 'ready'
  } catch {
    return false
  }
}

/** @type {import('./install.mjs').Service['start']} */
async function start(session) {
  const folder = findFolder()
  if (!folder) throw new Error('PostgreSQL is not installed')
  const user = findUser()
  const home = join(session.folder, 'postgres')
  const data = join(home, 'data')
  mkdirSync(home, { mode: 0o700 })
  if (user.uid !== undefined) chownSync(home, user.uid, user.gid)
  // Only the empty cluster is not synced; the server itself runs with fsync on.
  const initArgs = ['-D', data, '-U', 'warrant', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync']
  await promisify(execFile)(join(folder, 'initdb'), initArgs, {
    env: cleanEnv,
    cwd: home,
    timeout: 60_000,
    ...user,
  })
  const port = await launch(session, {
    name: 'postgres',
    command: (port) => [
      join(folder, 'postgres'),
      ...['-D', data, '-p', String(port)],
      ...['-c', 'listen_addresses=127.0.0.1', '-c', `unix_socket_directories=${home}`],
    ],
    ready: () => isReady(data),
    // An immediate shutdown: the data is about to be removed.
    stopSignal: 'SIGQUIT',
    cwd: home,
    ...user,
  })
  return { WARRANT_TEST_POSTGRES: `postgres://warrant@127.0.0.1:${port}/postgres` }
}

/** @type {import('./install.mjs').Service} */
export const postgres = {
  name: 'postgres',
  title: 'PostgreSQL',
  binary,
  missing: () => (binary() ? [] : ['postgresql']),
  start,
}

// @ts-check
import { spawn, spawnSync } from 'node:child_process'
import { accessSync, constants, rmSync, statSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/**
 * @typedef {object} Service
 * @property {string} name
 * @property {string} title
 * @property {() => string | undefined} binary the program that is the service, when installed
 * @property {() => string[]} missing the Debian packages it still needs
 * @property {(session: import('./launch.mjs').Session) => Promise<Record<string, string>>} start
 */

/** @param {string} line */
export const say = (line) => process.stderr.write(`services: ${line}\n`)

/** @param {number} begin */
export const secondsSince = (begin) => `${((performance.now() - begin) / 1000).toFixed(1)} s`

export const isRoot = process.getuid?.() === 0

/** Folders that replace every usual place, so that one can pick a version or hide all of them. */
export const pinnedFolders = process.env.WARRANT_SERVICES_PATH?.split(delimiter).filter(Boolean)

const pathFolders = (process.env.PATH ?? '').split(delimiter).filter(Boolean)

/**
 * @param {string[]} names
 * @param {string[]} folders
 */
export function findBinary(names, folders = pinnedFolders ?? pathFolders) {
  return names
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK)
        return statSync(file).isFile()
      } catch {
        return false
      }
    })
}

/** @param {string} binary */
function readVersion(binary) {
  const { stdout } = spawnSync(binary, ['--version'], { encoding: 'utf8', timeout: 10_000 })
  return /\d+(\.\d+)+/.exec(stdout ?? '')?.[0]
}

/** @param {string[]} packages */
export const installLine = (packages) =>
  `${isRoot ? '' : 'sudo '}apt-get install -y --no-install-recommends ${packages.join(' ')}`

/** @param {Service} service */
export function describeService({ name, title, binary, missing }) {
  const path = binary()
  const packages = missing()
  return {
    name,
    title,
    installed: packages.length === 0,
    path: path ?? null,
    version: path === undefined ? null : (readVersion(path) ?? null),
    missing: packages,
    install: packages.length === 0 ? null : installLine(packages),
  }
}

const aptGet = findBinary(['apt-get'], pathFolders)

export const mayInstall = process.platform === 'linux' && isRoot && aptGet !== undefined && !pinnedFolders

/**
 * @param {string[]} args
 * @param {AbortSignal} signal
 * @returns {Promise<{ ok: boolean, output: string }>}
 */
function runApt(args, signal) {
  const all = ['-q', '-y', '-o', 'DPkg::Lock::Timeout=300', ...args]
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' }
  const child = spawn(aptGet ?? 'apt-get', all, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  /** @param {string} chunk */
  const read = (chunk) => {
    output += chunk
    for (const line of chunk.split('\n')) if (/^(Need to get|Fetched) /.test(line)) say(line.trim())
  }
  child.stdout.setEncoding('utf8').on('data', read)
  child.stderr.setEncoding('utf8').on('data', read)
  // apt holds SIGINT back while dpkg is at work, so it never leaves a package half configured.
  const interrupt = () => child.kill('SIGINT')
  signal.addEventListener('abort', interrupt)
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ ok: false, output: error.message }))
    child.on('close', (code) => resolve({ ok: code === 0, output }))
  }).finally(() => signal.removeEventListener('abort', interrupt))
}

/** Debian starts and enables what it installs, on fixed ports; nobody asked for that here. */
const policyFile = '/usr/sbin/policy-rc.d'

function holdServices() {
  try {
    writeFileSync(policyFile, '#!/bin/sh\nexit 101\n', { mode: 0o755, flag: 'wx' })
    return () => rmSync(policyFile, { force: true })
  } catch {
    return () => {}
  }
}

/**
 * @param {string[]} packages
 * @param {AbortSignal} signal
 */
export async function installPackages(packages, signal) {
  const start = performance.now()
  const args = ['install', '--no-install-recommends', ...packages]
  say(`installing ${packages.join(', ')} with apt-get, which can take some minutes`)
  const release = holdServices()
  try {
    let result = await runApt(args, signal)
    if (!result.ok && !signal.aborted) {
      say('that failed, perhaps for old package lists: apt-get update, then once more')
      await runApt(['update'], signal)
      if (!signal.aborted) result = await runApt(args, signal)
    }
    if (!result.ok) {
      say(`apt-get failed:\n${result.output.trim().split('\n').slice(-10).join('\n')}`)
      return
    }
    const units = packages.filter((name) => name === 'postgresql' || name === 'docker-registry')
    if (units.length > 0) spawnSync('systemctl', ['disable', ...units], { stdio: 'ignore', timeout: 20_000 })
    say(`installed in ${secondsSince(start)}`)
  } finally {
    release()
  }
}

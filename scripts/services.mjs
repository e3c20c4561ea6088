#!/usr/bin/env node
// @ts-check
import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { chromium } from './services/chromium.mjs'
import { faiss } from './services/faiss.mjs'
import {
  describeService,
  installLine,
  installPackages,
  mayInstall,
  say,
  secondsSince,
} from './services/install.mjs'
import { startGuard } from './services/launch.mjs'
import { postgres } from './services/postgres.mjs'
import { registry } from './services/registry.mjs'
import { skopeo } from './services/skopeo.mjs'

/** @typedef {import('./services/install.mjs').Service} Service */

const usage = `Usage:
  node scripts/services.mjs run [--only LIST] [--no-install] -- CMD ARGS...
  node scripts/services.mjs status [--only LIST] [--json]
  node scripts/services.mjs install [--only LIST]

Provides PostgreSQL, an OCI registry, Chromium, skopeo and FAISS to the tests that need them.

  run           start them on random loopback ports, run CMD, stop them, remove their data;
                exits with CMD's exit code
  status        what is installed, and the line that installs what is not
  install       install what is missing (Debian packages, as root)

  --only LIST   only these, separated by commas: postgres, registry, chromium, skopeo, faiss
  --no-install  use what is there, install nothing
  --json        print the status as JSON
  --help        print this

CMD gets these variables, each only when its service is there:
  WARRANT_TEST_POSTGRES       postgres://USER@127.0.0.1:PORT/DATABASE
  WARRANT_TEST_REGISTRY       127.0.0.1:PORT, plain HTTP
  WARRANT_TEST_REGISTRY_AUTH  USER:PASSWORD@127.0.0.1:PORT, plain HTTP
  WARRANT_TEST_CHROMIUM       the path of the binary
  WARRANT_TEST_SKOPEO         the path of the binary
  WARRANT_TEST_FAISS          the path of a Python that has FAISS

A missing service is installed when that is possible; otherwise CMD runs without it or, with CI=true,
not at all (exit 1). WARRANT_SERVICES_PATH names the only folders to look for services in.
`

const all = [postgres, registry, chromium, skopeo, faiss]
const variables = ['POSTGRES', 'REGISTRY', 'REGISTRY_AUTH', 'CHROMIUM', 'SKOPEO', 'FAISS'].map(
  (name) => `WARRANT_TEST_${name}`,
)

class UsageError extends Error {}

/** @param {string | undefined} only */
function chooseServices(only) {
  if (only === undefined) return all
  const names = only.split(',').map((name) => name.trim())
  const unknown = names.find((name) => !all.some((service) => service.name === name))
  if (unknown !== undefined)
    throw new UsageError(`--only knows ${all.map(({ name }) => name).join(', ')}, not '${unknown}'`)
  return all.filter((service) => names.includes(service.name))
}

/** @param {string[]} argv */
function parseCommand(argv) {
  const split = argv.indexOf('--')
  const own = split === -1 ? argv : argv.slice(0, split)
  const command = split === -1 ? [] : argv.slice(split + 1)
  if (own.includes('--help') || own.includes('-h')) return undefined
  const [action, ...rest] = own
  if (action !== 'run' && action !== 'status' && action !== 'install')
    throw new UsageError(action ? `unknown command '${action}'` : 'say run, status or install')
  const { values } = parseOptions(action, rest)
  if (action === 'run' && command.length === 0) throw new UsageError('run needs a command after --')
  if (action !== 'run' && split !== -1) throw new UsageError(`${action} takes no command`)
  return {
    action,
    command,
    chosen: chooseServices(values.only),
    install: values['no-install'] !== true && mayInstall,
    json: values.json === true,
  }
}

/**
 * @param {'run' | 'status' | 'install'} action
 * @param {string[]} args
 */
function parseOptions(action, args) {
  /** @type {{ only: { type: 'string' }, json?: { type: 'boolean' }, 'no-install'?: { type: 'boolean' } }} */
  const options = { only: { type: 'string' } }
  if (action === 'run') options['no-install'] = { type: 'boolean' }
  if (action === 'status') options.json = { type: 'boolean' }
  try {
    return parseArgs({ args, options })
  } catch (error) {
    const [sentence] = String(error instanceof Error ? error.message : error).split(/\.\s|\n/)
    throw new UsageError(`${action}: ${sentence}`)
  }
}

/**
 * @param {Service[]} chosen
 * @param {boolean} json
 */
function printStatus(chosen, json) {
  const found = chosen.map(describeService)
  const lines = found.map(({ title, installed, version, path, install }) =>
    installed
      ? `${title} ${version ?? '(unknown version)'}: ${path}`
      : `${title}: missing, get it with: ${install}`,
  )
  process.stdout.write(json ? `${JSON.stringify(found, null, 2)}\n` : `${lines.join('\n')}\n`)
  return found.every(({ installed }) => installed)
}

/**
 * @param {Service[]} chosen
 * @param {boolean} install
 * @param {AbortSignal} signal
 */
async function provideServices(chosen, install, signal) {
  const wanted = chosen.flatMap((service) => service.missing())
  if (install && wanted.length > 0) await installPackages(wanted, signal)
  return chosen.filter((service) => service.missing().length === 0)
}

/**
 * @param {Service[]} services
 * @param {AbortController} stopping
 * @param {(env: Record<string, string>) => Promise<number>} body
 */
async function withServices(services, stopping, body) {
  const folder = mkdtempSync(join(tmpdir(), 'warrant-services-'))
  const session = { folder, signal: stopping.signal, stops: /** @type {Array<() => Promise<void>>} */ ([]) }
  // PostgreSQL runs as another user and has to pass through.
  chmodSync(folder, 0o711)
  const endGuard = startGuard(folder)
  const starts = services.map((service) => service.start(session))
  try {
    const values = await Promise.all(starts)
    return await body(Object.assign({}, ...values))
  } finally {
    stopping.abort()
    await Promise.allSettled(starts)
    await Promise.allSettled(session.stops.map((stop) => stop()))
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    await endGuard()
  }
}

/** @param {NodeJS.Signals} signal */
const signalCode = (signal) => 128 + constants.signals[signal]

/**
 * @param {Service[]} chosen
 * @param {boolean} install
 * @param {string[]} command
 */
async function runCommand(chosen, install, command) {
  const stopping = new AbortController()
  /** @type {import('node:child_process').ChildProcess | undefined} */
  let child
  /** @type {NodeJS.Signals | undefined} */
  let caught
  /** @param {NodeJS.Signals} signal */
  const onSignal = (signal) => {
    caught ??= signal
    if (!child) return stopping.abort()
    // A terminal sends Ctrl-C to the command as well, and a second one would make it quit the hard way.
    if (signal === 'SIGINT' && process.stdin.isTTY) return
    child.kill(signal)
    if (signal === 'SIGTERM') setTimeout(() => child?.kill('SIGKILL'), 10_000).unref()
  }
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal)

  const begin = performance.now()
  const services = await provideServices(chosen, install, stopping.signal)
  if (caught) return signalCode(caught)
  const absent = chosen.filter((service) => !services.includes(service))
  for (const { title, missing } of absent)
    say(`WARNING: ${title} IS MISSING, its tests will not run. Get it with: ${installLine(missing())}`)
  if (absent.length > 0 && process.env.CI === 'true') {
    say('with CI=true every service has to be there: the command was not run')
    return 1
  }

  try {
    return await withServices(services, stopping, (values) => {
      const env = { ...process.env }
      for (const name of variables) delete env[name]
      const [program = '', ...args] = command
      say(`started ${services.map(({ title }) => title).join(', ') || 'nothing'} in ${secondsSince(begin)}`)
      if (caught) return Promise.resolve(signalCode(caught))
      const started = spawn(program, args, { stdio: 'inherit', env: { ...env, ...values } })
      child = started
      return new Promise((resolve) => {
        started.once('error', (error) => {
          say(`cannot run ${program}: ${error.message}`)
          resolve(127)
        })
        started.once('exit', (code, signal) => resolve(code ?? signalCode(signal ?? 'SIGKILL')))
      })
    })
  } catch (error) {
    if (caught) return signalCode(caught)
    throw error
  }
}

async function main() {
  const request = parseCommand(process.argv.slice(2))
  if (!request) {
    process.stdout.write(usage)
    return 0
  }
  const { action, chosen, install, command, json } = request
  if (action === 'run') return await runCommand(chosen, install, command)
  if (action === 'install') {
    const stopping = new AbortController()
    // Dying at once would leave Debian's services held back for good.
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => stopping.abort())
    await provideServices(chosen, install, stopping.signal)
  }
  const complete = printStatus(chosen, json)
  return action === 'install' && !complete ? 1 : 0
}

try {
  process.exitCode = await main()
} catch (error) {
  say(
    error instanceof UsageError
      ? `${error.message} (see --help)`
      : error instanceof Error
        ? error.message
        : `${error}`,
  )
  process.exitCode = error instanceof UsageError ? 2 : 1
}

import { spawn } from 'node:child_process'
import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { get } from 'node:http'
import { createServer } from 'node:net'
import { dirname, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { Fault } from '../../../kernel/fault.ts'
import { requireNoSymlinks } from '../../../platform/files/no-symlinks.ts'
import type { Invocation } from '../../../surfaces/cli/command.ts'
import { writeTable } from '../../../surfaces/cli/table.ts'
import { MODERN } from '../../../surfaces/mcp/handshake.ts'
import type { Config } from '../../config/settings.ts'
import { loadSettings } from '../../process-context.ts'

interface Finding {
  readonly check: string
  readonly ok: boolean
  /** Absent when there is nothing to say against it. A warning does not fail the check-up. */
  readonly severity?: 'error' | 'warning'
  readonly detail: string
  readonly fix?: string
}

type Check = (config: Config) => Promise<Omit<Finding, 'check'>>

const HANDSHAKE_MS = 15_000

/** One that is too old was refused before it came to this. */
const nodeVersion: Check = async () => ({ ok: true, detail: process.versions.node })

const hasRights = async (path: string, mode: number): Promise<boolean> =>
  access(path, mode).then(
    () => true,
    () => false,
  )

const rootReadable: Check = async ({ root }) => {
  const ok = await hasRights(resolve(root), constants.R_OK | constants.X_OK)
  return {
    ok,
    detail: ok ? 'readable' : 'cannot be read',
    ...(!ok && { fix: 'Point --root at a folder you may read.' }),
  }
}

const stateWritable: Check = async ({ root, stateDir }) => {
  let path: string
  try {
    path = requireNoSymlinks(resolve(root), stateDir)
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown
    return { ok: false, detail: thrown.message, fix: thrown.fix }
  }
  const there = await hasRights(path, constants.F_OK)
  const ok = await hasRights(there ? path : dirname(path), constants.W_OK)
  if (ok) return { ok, detail: there ? 'writable' : 'can be made when needed' }
  return { ok, detail: 'cannot be written', fix: 'Give yourself the right to write it, or set --state-dir.' }
}

const LOOK_MS = 2000

/** Whether what listens there says, as `warrant serve` does, that it is Warrant. */
const isOurs = ({ host, port, token }: Config): Promise<boolean> =>
  new Promise((settle) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const asked = get({ host, port, path: '/', headers, timeout: LOOK_MS, agent: false }, (answer) => {
      answer.once('data', (chunk: Buffer) => {
        settle(chunk.toString('latin1').startsWith('Warrant '))
        asked.destroy()
      })
      answer.once('end', () => settle(false))
    })
    asked.once('timeout', () => asked.destroy(new Error('no answer')))
    asked.once('error', () => settle(false))
  })

const portTaken = async (config: Config, code: string | undefined): ReturnType<Check> => {
  const place = `${config.host}:${config.port}`
  const fix = 'Choose another with --port, or 0 for any free one.'
  if (code !== 'EADDRINUSE') return { ok: false, detail: `${place}: ${code}`, fix }
  return (await isOurs(config))
    ? { ok: true, severity: 'warning', detail: `${place}: a server of Warrant listens there already`, fix }
    : { ok: false, detail: `${place}: another program listens there`, fix }
}

const portFree: Check = (config) =>
  new Promise((settle) => {
    const { host, port } = config
    const probe = createServer()
    probe.once('error', (cause: NodeJS.ErrnoException) => settle(portTaken(config, cause.code)))
    probe.listen(port, host, () => probe.close(() => settle({ ok: true, detail: `${host}:${port} is free` })))
  })

const gitThere: Check = () =>
  new Promise((settle) => {
    const git = spawn('git', ['--version'], { stdio: ['ignore', 'pipe', 'ignore'] })
    let words = ''
    git.stdout.on('data', (chunk) => {
      words += chunk
    })
    git.once('error', () =>
      settle({ ok: false, detail: 'not found', fix: 'Install git: the gate and freshness need it.' }),
    )
    git.once('close', () => settle({ ok: words !== '', detail: words.trim() }))
  })

const request = (id: number, method: string, params: object) => ({ jsonrpc: '2.0', id, method, params })
const envelope = {
  _meta: {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'warrant-doctor', version: '1' },
  },
}
const CALL = { name: 'warrant_status', arguments: {} }
const initialize = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'warrant-doctor', version: '1' },
}

const LEGACY_TALK = [
  request(1, 'initialize', initialize),
  request(2, 'tools/list', {}),
  request(3, 'tools/call', CALL),
]
const MODERN_TALK = [
  request(1, 'server/discover', envelope),
  request(2, 'tools/list', envelope),
  request(3, 'tools/call', { ...CALL, ...envelope }),
]

/** Starts this very program as a client would and talks to it: every byte of stdout must be protocol. */
const handshake =
  (talk: readonly object[]): Check =>
  async ({ root }) => {
    const started = performance.now()
    const program = process.argv[1] ?? ''
    const child = spawn(process.execPath, [program, 'mcp', '--root', resolve(root)], {
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    const timer = setTimeout(() => child.kill('SIGKILL'), HANDSHAKE_MS)
    const times: number[] = []
    let strange: string | undefined
    child.stdin.end(talk.map((message) => `${JSON.stringify(message)}\n`).join(''))
    for await (const line of createInterface({ input: child.stdout })) {
      times.push(performance.now() - started)
      try {
        if (JSON.parse(line).result === undefined) strange = line
      } catch {
        strange = line
      }
    }
    clearTimeout(timer)
    const ok = strange === undefined && times.length === talk.length
    const took = times.map((ms) => `${ms.toFixed(0)} ms`).join(', ')
    if (ok) return { ok, detail: `${talk.length} answers, nothing else on stdout: ${took}` }
    const detail = strange === undefined ? `${times.length} of ${talk.length} answers` : strange.slice(0, 200)
    return { ok, detail, fix: 'Run `warrant mcp --log-level debug` and look at stderr.' }
  }

const CHECKS: Readonly<Record<string, Check>> = {
  'Node.js': nodeVersion,
  root: rootReadable,
  'state folder': stateWritable,
  port: portFree,
  git: gitThere,
  'handshake, 2025 era': handshake(LEGACY_TALK),
  'handshake, 2026 era': handshake(MODERN_TALK),
}

/** What is wrong with the installation in this repository; nothing where there is no repository. */
const installation = async (config: Config): Promise<readonly Finding[]> => {
  const { lifecycleIssues } = await import('../../../gate/install/installation.ts')
  const { currentStatus } = await import('../../../gate/install/install.ts')
  const { openRepositoryForCommand } = await import('../../open/repository.ts')
  const context = await openRepositoryForCommand(config).catch(() => undefined)
  const status = context && (await currentStatus(context.lifecycle, context.signal).catch(() => undefined))
  if (status === undefined) return []
  const issues = lifecycleIssues(status)
  if (issues.length === 0) return [{ check: 'installation', ok: true, detail: 'state and hooks agree' }]
  return issues.map(({ severity, ...issue }) => ({ ok: severity === 'warning', severity, ...issue }))
}

const verdictOf = (findings: readonly Finding[]) => {
  if (findings.some(({ ok }) => !ok)) return 'BLOCKED'
  return findings.some(({ severity }) => severity === 'warning') ? 'WARN' : 'PASS'
}

const markOf = ({ ok, severity }: Finding): string => (ok ? (severity === 'warning' ? 'warn' : 'ok') : 'FAIL')

export const run = async (invocation: Invocation): Promise<number> => {
  const { config } = loadSettings(invocation)
  const findings: Finding[] = []
  for (const [check, look] of Object.entries(CHECKS)) findings.push({ check, ...(await look(config)) })
  findings.push(...(await installation(config)))
  const ok = findings.every((finding) => finding.ok)
  if (invocation.json) {
    invocation.terminal.print(JSON.stringify({ ok, verdict: verdictOf(findings), findings }))
  } else {
    const rows = findings.map((finding) => [markOf(finding), finding.check, finding.detail])
    const fixes = findings.flatMap(({ check, fix }) => (fix === undefined ? [] : [`${check}: ${fix}`]))
    invocation.terminal.print([writeTable(['', 'check', 'found'], rows), ...fixes].join('\n'))
  }
  return ok ? 0 : 1
}

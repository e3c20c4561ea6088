import { spawn } from 'node:child_process'
import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { get } from 'node:http'
import { createServer } from 'node:net'
import { dirname, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Config } from '../../app/config/settings.ts'
import { loadSettings } from '../../app/process-context.ts'
import { Fault } from '../../kernel/fault.ts'
import { MODERN } from '../../mcp/handshake.ts'
import { requireNoSymlinks } from '../../platform/files/no-symlinks.ts'
import { trustedPath } from '../../platform/programs/trusted-path.ts'
import type { Invocation } from '../command/command.ts'
import { writeTable } from '../command/text-table.ts'

export interface DoctorFinding {
  readonly check: string
  readonly ok: boolean
  /** `warning`: the check passed, but look at it. A check that failed without a severity is an error. */
  readonly severity?: 'error' | 'warning'
  readonly detail: string
  readonly fix?: string
}

type Check = (config: Config) => Promise<Omit<DoctorFinding, 'check'> | readonly DoctorFinding[]>

const HANDSHAKE_MS = 15_000

/** `requireNode` has refused older versions before this runs. */
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
    ...(!ok && { fix: 'Set --root to a folder that you may read.' }),
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
  const exists = await hasRights(path, constants.F_OK)
  const ok = await hasRights(exists ? path : dirname(path), constants.W_OK)
  if (ok) return { ok, detail: exists ? 'writable' : 'will be created when needed' }
  return {
    ok,
    detail: 'cannot be written',
    fix: 'Make the folder writable, or choose another with --state-dir.',
  }
}

const REQUEST_MS = 2000

/** Whether the server on that port is one of ours, as far as it says. The token is not sent to an unknown program. */
const isWarrant = ({ host, port }: Config): Promise<boolean> =>
  new Promise((settle) => {
    const request = get({ host, port, path: '/health', timeout: REQUEST_MS, agent: false }, (response) => {
      response.once('data', (chunk: Buffer) => {
        settle(chunk.toString('latin1') === '{"status":"ok"}')
        request.destroy()
      })
      response.once('end', () => settle(false))
    })
    request.once('timeout', () => request.destroy(new Error('no answer')))
    request.once('error', () => settle(false))
  })

const portTaken = async (config: Config, code: string | undefined): ReturnType<Check> => {
  const address = `${config.host}:${config.port}`
  const fix = 'Choose another port with --port; 0 takes any free port.'
  if (code !== 'EADDRINUSE') return { ok: false, detail: `${address}: ${code}`, fix }
  return (await isWarrant(config))
    ? { ok: true, severity: 'warning', detail: `${address}: a Warrant server is already listening`, fix }
    : { ok: false, detail: `${address}: another program is listening`, fix }
}

const portFree: Check = (config) =>
  new Promise((settle) => {
    const { host, port } = config
    const server = createServer()
    server.once('error', (cause: NodeJS.ErrnoException) => settle(portTaken(config, cause.code)))
    server.listen(port, host, () =>
      server.close(() => settle({ ok: true, detail: `${host}:${port} is free` })),
    )
  })

const NO_GIT = { ok: false, fix: 'Install git: the gate and the freshness of answers need it.' } as const

const gitInstalled: Check = ({ root }) =>
  new Promise((settle) => {
    const env = { ...process.env, PATH: trustedPath(process.env.PATH, resolve(root)) }
    const git = spawn('git', ['--version'], { env, stdio: ['ignore', 'pipe', 'ignore'] })
    let version = ''
    // Undefined when too many files are open.
    git.stdout?.on('data', (chunk) => {
      version += chunk
    })
    git.once('error', () => settle({ ...NO_GIT, detail: 'not found' }))
    git.once('close', () =>
      settle(
        version === ''
          ? { ...NO_GIT, detail: '`git --version` printed nothing' }
          : { ok: true, detail: version.trim() },
      ),
    )
  })

const rpcRequest = (id: number, method: string, params: object) => ({ jsonrpc: '2.0', id, method, params })
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

const LEGACY_REQUESTS = [
  rpcRequest(1, 'initialize', initialize),
  rpcRequest(2, 'tools/list', {}),
  rpcRequest(3, 'tools/call', CALL),
]
const MODERN_REQUESTS = [
  rpcRequest(1, 'server/discover', envelope),
  rpcRequest(2, 'tools/list', envelope),
  rpcRequest(3, 'tools/call', { ...CALL, ...envelope }),
]

/** Starts `warrant mcp` as a client does and sends the requests: stdout must hold their answers and nothing else. */
const handshake =
  (requests: readonly object[]): Check =>
  async ({ root }) => {
    const started = performance.now()
    const program = process.argv[1] ?? ''
    const child = spawn(process.execPath, [program, 'mcp', '--root', resolve(root)], {
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    const timer = setTimeout(() => child.kill('SIGKILL'), HANDSHAKE_MS)
    const times: number[] = []
    let unexpected: string | undefined
    child.once('error', () => {})
    child.stdin?.end(requests.map((message) => `${JSON.stringify(message)}\n`).join(''))
    for await (const line of child.stdout === undefined ? [] : createInterface({ input: child.stdout })) {
      times.push(performance.now() - started)
      try {
        if (JSON.parse(line).result === undefined) unexpected = line
      } catch {
        unexpected = line
      }
    }
    clearTimeout(timer)
    const ok = unexpected === undefined && times.length === requests.length
    const took = times.map((ms) => `${ms.toFixed(0)} ms`).join(', ')
    if (ok) return { ok, detail: `${requests.length} answers, nothing else on stdout: ${took}` }
    const detail =
      unexpected === undefined ? `${times.length} of ${requests.length} answers` : unexpected.slice(0, 200)
    return { ok, detail, fix: 'Run `warrant mcp --log-level debug` and read its log on stderr.' }
  }

const CHECKS: Readonly<Record<string, Check>> = {
  'Node.js': nodeVersion,
  root: rootReadable,
  'state folder': stateWritable,
  'decision log': async (config) => (await import('./check-lineage.ts')).inspectLogs(config),
  'signing key': async () => (await import('./check-lineage.ts')).checkSigningKey(),
  receipts: async (config) => (await import('./check-lineage.ts')).checkReceiptSetup(config),
  port: portFree,
  git: gitInstalled,
  policy: async (config) => (await import('./check-lineage.ts')).checkPolicy(config),
  'handshake, 2025 era': handshake(LEGACY_REQUESTS),
  'handshake, 2026 era': handshake(MODERN_REQUESTS),
}

const overallVerdict = (findings: readonly DoctorFinding[]) => {
  if (findings.some(({ ok }) => !ok)) return 'BLOCKED'
  return findings.some(({ severity }) => severity === 'warning') ? 'WARN' : 'PASS'
}

const findingMark = ({ ok, severity }: DoctorFinding): string =>
  ok ? (severity === 'warning' ? 'warn' : 'ok') : 'FAIL'

export const run = async (invocation: Invocation): Promise<number> => {
  const { config } = loadSettings(invocation)
  const findings: DoctorFinding[] = []
  for (const [check, perform] of Object.entries(CHECKS))
    for (const found of [await perform(config)].flat()) findings.push({ check, ...found })
  const { checkInstallation, readState } = await import('./check-lineage.ts')
  findings.push(...(await checkInstallation(config)))
  const ok = findings.every((finding) => finding.ok)
  if (invocation.json) {
    const state = await readState(config)
    invocation.terminal.print(JSON.stringify({ ok, verdict: overallVerdict(findings), findings, state }))
  } else {
    const rows = findings.map((finding) => [findingMark(finding), finding.check, finding.detail])
    const fixes = findings.flatMap(({ check, fix }) => (fix === undefined ? [] : [`${check}: ${fix}`]))
    invocation.terminal.print([writeTable(['', 'check', 'found'], rows), ...fixes].join('\n'))
  }
  return ok ? 0 : 1
}

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { describeWith, service } from '../services.ts'
import { eventually } from '../support/binary.ts'
import { someRows } from '../support/case-count.ts'

const script = fileURLToPath(new URL('../../scripts/services.mjs', import.meta.url))
const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url))
const printValues =
  "console.log(JSON.stringify(process.env, (k, v) => k && !k.startsWith('WARRANT_TEST_') ? undefined : v))"

let folder: string
let children: ChildProcess[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'services-test-'))
  // PostgreSQL runs as another user when the tests run as root.
  await chmod(folder, 0o755)
  await mkdir(join(folder, 'tmp'))
  await mkdir(join(folder, 'bin'))
})

afterEach(async () => {
  for (const child of children) child.kill('SIGKILL')
  children = []
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
})

/** Nothing of the surrounding run may leak in: neither its services nor CI. */
const cleanEnv = (extra: Record<string, string> = {}) => {
  const kept = Object.entries(process.env).filter(([name]) => name !== 'CI' && !name.startsWith('WARRANT_'))
  return { ...Object.fromEntries(kept), TMPDIR: join(folder, 'tmp'), ...extra }
}

const startNode = (args: string[], extra?: Record<string, string>) => {
  const child = spawn(process.execPath, args, { env: cleanEnv(extra), stdio: ['ignore', 'pipe', 'pipe'] })
  children.push(child)
  const said = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text) => {
    said.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said.stderr += text
  })
  const finished = once(child, 'close').then(([code, signal]) => ({ ...said, code, signal }))
  return { child, said, finished }
}

const services = (args: string[], extra?: Record<string, string>) =>
  startNode([script, ...args], extra).finished

/** Only the folder's own `bin` is searched, and it starts out empty. */
const onlyOwnBin = () => ({ WARRANT_SERVICES_PATH: join(folder, 'bin') })

const waitForLine = async (said: { stdout: string }, child: ChildProcess) => {
  await eventually('a line', () => said.stdout.includes('\n') || child.exitCode !== null)
  return said.stdout.slice(0, said.stdout.indexOf('\n'))
}

const portsOf = (values: Record<string, string>) =>
  Object.values(values).flatMap((value) => /127\.0\.0\.1:(\d+)/.exec(value)?.[1] ?? [])

const isOpen = async (port: string) => {
  const socket = connect(Number(port), '127.0.0.1')
  const open = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  return open
}

/** Command lines that name the folder: every service has its data there. */
const findProcesses = async () => {
  const ids = (await readdir('/proc').catch(() => [])).filter((id) => /^\d+$/.test(id))
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')))
  return lines.filter((line) => line.includes(folder))
}

const findTraces = async () => [...(await readdir(join(folder, 'tmp'))), ...(await findProcesses())]

const expectNothingLeft = async (ports: string[]) => {
  expect(await findTraces()).toEqual([])
  expect(ports.length).toBeGreaterThan(0)
  for (const port of ports) expect(await isOpen(port)).toBe(false)
}

/** One query over PostgreSQL's wire protocol, so that no client has to be installed. */
const queryValue = async (url: string, sql: string) => {
  const { hostname, port, username, pathname } = new URL(url)
  const socket = connect(Number(port), hostname)
  const send = (type: string, body: Buffer) => {
    const length = Buffer.alloc(4)
    length.writeInt32BE(body.length + 4)
    socket.write(Buffer.concat([Buffer.from(type), length, body]))
  }
  const protocol = Buffer.from([0, 3, 0, 0])
  send('', Buffer.concat([protocol, Buffer.from(`user\0${username}\0database\0${pathname.slice(1)}\0\0`)]))
  let input = Buffer.alloc(0)
  let asked = false
  let value: string | undefined
  for await (const chunk of socket) {
    input = Buffer.concat([input, chunk])
    while (input.length >= 5 && input.length > input.readInt32BE(1)) {
      const end = input.readInt32BE(1) + 1
      const type = String.fromCharCode(input.readUInt8(0))
      const body = input.subarray(5, end)
      input = input.subarray(end)
      if (type === 'E') throw new Error(body.toString('utf8').replaceAll('\0', ' '))
      if (type === 'D') value = body.subarray(6, 6 + body.readInt32BE(2)).toString('utf8')
      if (type !== 'Z') continue
      if (asked) return value
      asked = true
      send('Q', Buffer.from(`${sql}\0`))
    }
  }
  throw new Error('the server closed the connection')
}

describeWith('postgres', 'The PostgreSQL of the tests', (url) => {
  test('answers select 1', async () => {
    expect(await queryValue(url, 'select 1')).toBe('1')
  })

  test('is as durable as a real one', async () => {
    expect(await queryValue(url, 'show fsync')).toBe('on')
    expect(await queryValue(url, 'show synchronous_commit')).toBe('on')
    expect(await queryValue(url, 'show full_page_writes')).toBe('on')
  })

  test('listens on loopback only', async () => {
    expect(await queryValue(url, 'show listen_addresses')).toBe('127.0.0.1')
  })
})

describeWith('registry', 'The registry of the tests', (address) => {
  test('answers without a password', async () => {
    expect((await fetch(`http://${address}/v2/`)).status).toBe(200)
  })
})

describeWith('registryAuth', 'The registry with passwords', (value) => {
  const { username, password, host } = new URL(`http://${value}`)
  const ask = async (secret?: string) => {
    const authorization = `Basic ${Buffer.from(`${username}:${secret}`).toString('base64')}`
    const answer = await fetch(
      `http://${host}/v2/`,
      secret === undefined ? {} : { headers: { authorization } },
    )
    return answer.status
  }

  test('refuses who gives no password or a wrong one', async () => {
    expect(await ask()).toBe(401)
    expect(await ask('wrong')).toBe(401)
  })

  test('lets in who gives the right password', async () => {
    expect(await ask(password)).toBe(200)
  })
})

describeWith('chromium', 'The Chromium of the tests', (binary) => {
  test('runs the scripts of a page on loopback', async () => {
    const page =
      '<p id="sum"></p><script>document.getElementById("sum").textContent = "sum " + 6 * 7</script>'
    const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(page))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const flags = [
      ...[
        '--headless',
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-sync',
      ],
      ...['--disable-background-networking', '--disable-component-update'],
      ...[`--user-data-dir=${join(folder, 'profile')}`, '--dump-dom', `http://127.0.0.1:${port}/`],
    ]
    const { stdout } = await promisify(execFile)(binary, flags, { timeout: 25_000 })
    server.close()
    expect(stdout).toContain('<p id="sum">sum 42</p>')
  })
})

describe('services.mjs', () => {
  test('prints its usage when asked for help', async () => {
    const { code, stdout } = await services(['run', '--help'])
    expect(code).toBe(0)
    expect(stdout).toContain('node scripts/services.mjs run')
  })

  const mistakes: readonly (readonly [string[], string])[] = [
    [[], 'say run, status or install'],
    [['dance'], "unknown command 'dance'"],
    [['run'], 'run needs a command after --'],
    [['run', 'true'], "Unexpected argument 'true'"],
    [['run', '--only', 'mysql', '--', 'true'], "not 'mysql'"],
    [['run', '--json', '--', 'true'], "Unknown option '--json'"],
    [['status', '--', 'true'], 'status takes no command'],
  ]
  test.each(someRows(mistakes, 3))(
    'answers the bad usage %j with one line and exit code 2',
    async (args, message) => {
      const { code, stdout, stderr } = await services(args)
      expect(code).toBe(2)
      expect(stdout).toBe('')
      expect(stderr).toContain(message)
      expect(stderr.trim().split('\n')).toHaveLength(1)
    },
  )

  test('says in its status what is missing and how to install it', async () => {
    const { code, stdout } = await services(['status', '--json', '--only', 'chromium'], onlyOwnBin())
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual([
      expect.objectContaining({ name: 'chromium', installed: false, path: null, missing: ['chromium'] }),
    ])
    expect(JSON.parse(stdout)[0].install).toMatch(/apt-get install -y --no-install-recommends chromium$/)
  })

  test('says in its status which version is installed', async () => {
    await writeFile(join(folder, 'bin/chromium'), '#!/bin/sh\necho Chromium 150.0.1.2 built on Debian\n', {
      mode: 0o755,
    })
    const { stdout } = await services(['status', '--only', 'chromium'], onlyOwnBin())
    expect(stdout).toBe(`Chromium 150.0.1.2: ${join(folder, 'bin/chromium')}\n`)
  })

  test('fails to install where it may not, and says what is missing', async () => {
    const { code, stdout } = await services(['install'], onlyOwnBin())
    expect(code).toBe(1)
    expect(stdout).toMatch(
      /^PostgreSQL: missing.*\nOCI registry: missing.*\nChromium: missing.*\nskopeo: missing.*\nFAISS for Python: missing.*\n$/,
    )
  })

  test('runs the command without the services it cannot get, one warning for each', async () => {
    const command = [process.execPath, '-e', printValues]
    const { code, stdout, stderr } = await services(['run', '--no-install', '--', ...command], {
      ...onlyOwnBin(),
      WARRANT_TEST_POSTGRES: 'postgres://stale',
    })
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual({})
    expect(stderr).toMatch(
      /WARNING: PostgreSQL IS MISSING.*\n.*WARNING: OCI registry.*\n.*WARNING: Chromium.*\n.*WARNING: skopeo.*\n.*WARNING: FAISS/,
    )
  })

  test('does not run the command in CI when a service is missing', async () => {
    const command = [process.execPath, '-e', "console.log('ran')"]
    const { code, stdout, stderr } = await services(['run', '--no-install', '--', ...command], {
      ...onlyOwnBin(),
      CI: 'true',
    })
    expect(code).toBe(1)
    expect(stdout).toBe('')
    expect(stderr).toContain('PostgreSQL IS MISSING')
  })

  test('reports a command that does not exist with exit code 127', async () => {
    const { code, stderr } = await services(['run', '--no-install', '--', 'no-such-command'], onlyOwnBin())
    expect(code).toBe(127)
    expect(stderr).toContain('cannot run no-such-command')
  })

  test('reports a command killed by a signal as a shell does', async () => {
    const { code } = await services(
      ['run', '--no-install', '--', process.execPath, '-e', "process.kill(process.pid, 'SIGKILL')"],
      onlyOwnBin(),
    )
    expect(code).toBe(137)
  })

  test('shows the log of a service that does not start, and leaves nothing behind', async () => {
    await writeFile(join(folder, 'bin/docker-registry'), '#!/bin/sh\necho the disk is on fire\nexit 3\n', {
      mode: 0o755,
    })
    const { code, stdout, stderr } = await services(
      ['run', '--no-install', '--only', 'registry', '--', process.execPath, '-e', "console.log('ran')"],
      onlyOwnBin(),
    )
    expect(code).toBe(1)
    expect(stdout).toBe('')
    expect(stderr).toMatch(/registry(-auth)? exited with 3:\nthe disk is on fire/)
    expect(await findTraces()).toEqual([])
  })
})

describe.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)('services.mjs as root', () => {
  const command = ['run', '--only', 'chromium', '--', process.execPath, '-e', printValues]
  const writeApt = (body: string) =>
    writeFile(
      join(folder, 'bin/apt-get'),
      `#!/bin/sh\necho "$DEBIAN_FRONTEND $*" >>${folder}/calls\n${body}\n`,
      { mode: 0o755 },
    )
  const onlyOwnPath = () => ({ PATH: join(folder, 'bin') })

  test('installs what is missing, after an update when the package lists are old', async () => {
    await writeApt(`case "$*" in
      *update*) : >${folder}/updated ;;
      *) [ -e ${folder}/updated ] || exit 100; echo '#!/bin/sh' >${folder}/bin/chromium ;;
    esac
    [ ! -e ${folder}/bin/chromium ] || /bin/chmod 755 ${folder}/bin/chromium`)
    const { code, stdout, stderr } = await services(command, { ...onlyOwnPath(), CI: 'true' })
    expect({ code, stderr }).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('installing chromium'),
    })
    expect(JSON.parse(stdout)).toEqual({ WARRANT_TEST_CHROMIUM: join(folder, 'bin/chromium') })
    const calls = (await readFile(join(folder, 'calls'), 'utf8')).trim().split('\n')
    expect(calls.map((line) => line.replace(/-o \S+ /, ''))).toEqual([
      'noninteractive -q -y install --no-install-recommends chromium',
      'noninteractive -q -y update',
      'noninteractive -q -y install --no-install-recommends chromium',
    ])
  })

  test('goes on without a service whose installation fails, and shows why it failed', async () => {
    await writeApt('echo E: no route to the mirror >&2; exit 100')
    const { code, stdout, stderr } = await services(command, onlyOwnPath())
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual({})
    expect(stderr).toMatch(/E: no route to the mirror\n.*WARNING: Chromium IS MISSING/)
  })

  test('lets apt-get come to an end when it is stopped, and runs nothing after', async () => {
    await writeApt(
      'trap "echo done >$0.done; exit 100" INT; echo Need to get 1 MB; /bin/sleep 1 >/dev/null 2>&1 & wait',
    )
    const { child, said, finished } = startNode([script, ...command], onlyOwnPath())
    await eventually('apt-get', () => said.stderr.includes('Need to get') || child.exitCode !== null)
    child.kill('SIGTERM')
    expect(await finished).toMatchObject({ code: 143, stdout: '' })
    expect(await readFile(join(folder, 'bin/apt-get.done'), 'utf8')).toBe('done\n')
  })

  test('installs nothing when told not to', async () => {
    await writeApt('exit 0')
    const { code } = await services(['run', '--no-install', ...command.slice(1)], onlyOwnPath())
    expect(code).toBe(0)
    await expect(readFile(join(folder, 'calls'))).rejects.toThrow('ENOENT')
  })
})

describeWith('registry', 'services.mjs with a registry', () => {
  const registry = async () => {
    const { stdout } = await services(['status', '--json', '--only', 'registry'])
    return String(JSON.parse(stdout)[0].path)
  }

  test('takes another port when someone was faster', async () => {
    const marker = join(folder, 'tried')
    const fake = `#!/bin/sh
      [ -e ${marker} ] && exec ${await registry()} "$@"
      echo 'listen tcp 127.0.0.1:1: bind: address already in use'
      : >${marker}
      exit 1`
    await writeFile(join(folder, 'bin/docker-registry'), fake, { mode: 0o755 })
    const { code, stdout } = await services(
      ['run', '--no-install', '--only', 'registry', '--', process.execPath, '-e', printValues],
      onlyOwnBin(),
    )
    expect(code).toBe(0)
    expect(Object.keys(JSON.parse(stdout)).sort()).toEqual([
      'WARRANT_TEST_REGISTRY',
      'WARRANT_TEST_REGISTRY_AUTH',
    ])
  })

  test('starts only what is asked for', async () => {
    await symlink(await registry(), join(folder, 'bin/docker-registry'))
    const { code, stderr } = await services(
      ['run', '--no-install', '--only', 'registry', '--', process.execPath, '-e', ''],
      { ...onlyOwnBin(), CI: 'true' },
    )
    expect(code).toBe(0)
    expect(stderr).toMatch(/^services: started OCI registry in [\d.]+ s\n$/)
  })
})

const firstMissing = service('registryAuth') === undefined ? 'registryAuth' : 'postgres'

describeWith(firstMissing, 'services.mjs with PostgreSQL and registries', () => {
  const run = ['run', '--no-install', '--only', 'postgres,registry', '--', process.execPath, '-e']
  const thenWait = `${printValues}; setInterval(() => {}, 1000)`

  test('passes the exit code on and leaves nothing behind', async () => {
    const { code, stdout } = await services([...run, `${printValues}; process.exitCode = 7`])
    expect(code).toBe(7)
    const ports = portsOf(JSON.parse(stdout))
    expect(new Set(ports).size).toBe(3)
    await expectNothingLeft(ports)
  })

  test.each(['SIGTERM', 'SIGINT'] as const)(
    'hands %s to the command and leaves nothing behind',
    async (signal) => {
      const handler = `process.on('${signal}', () => process.exit(9))`
      const { child, said, finished } = startNode([script, ...run, `${handler}; ${thenWait}`])
      const ports = portsOf(JSON.parse(await waitForLine(said, child)))
      expect(await findProcesses()).not.toEqual([])
      child.kill(signal)
      expect((await finished).code).toBe(9)
      await expectNothingLeft(ports)
    },
  )

  test('leaves nothing behind when it is stopped while the services start', async () => {
    const { child, finished } = startNode([script, ...run, printValues])
    await eventually('a service', async () => (await readdir(join(folder, 'tmp'))).length > 0)
    child.kill('SIGTERM')
    expect(await finished).toMatchObject({ code: 143, stdout: '' })
    expect(await findTraces()).toEqual([])
  })

  test('leaves nothing behind when it is killed the hard way', async () => {
    const waiting = "process.stdin.resume().on('end', () => process.exit())"
    const child = spawn(process.execPath, [script, ...run, `${printValues}; ${waiting}`], {
      env: cleanEnv(),
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    children.push(child)
    const [line] = await once(child.stdout.setEncoding('utf8'), 'data')
    child.kill('SIGKILL')
    child.stdin.end()
    await once(child, 'close')
    await eventually('the removal of all traces', async () => (await findTraces()).length === 0)
    await expectNothingLeft(portsOf(JSON.parse(line)))
  })
})

describe('Tests that need a service', () => {
  const runNested = (extra?: Record<string, string>) =>
    startNode([vitest, 'run', fileURLToPath(import.meta.url), '-t', 'The PostgreSQL of the tests'], extra)
      .finished

  test('are skipped with one loud line when the service is missing', async () => {
    const { code, stderr } = await runNested()
    expect(code).toBe(0)
    expect(stderr).toContain(
      'SKIPPED: The PostgreSQL of the tests needs PostgreSQL: run `node scripts/services.mjs',
    )
  })

  test('fail when the service is missing in CI', async () => {
    const { code, stdout, stderr } = await runNested({ CI: 'true' })
    expect(code).toBe(1)
    expect(stdout + stderr).toContain('The PostgreSQL of the tests needs PostgreSQL')
    expect(stdout + stderr).toMatch(/1 failed/)
  })
})

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { BINARY, cleanEnvironment, makeFolder } from './binary.ts'
import { request } from './messages.ts'

const run = promisify(execFile)

export type Env = Readonly<Record<string, string>>

/** Runs `warrant packet` in an empty folder, or in a given one. */
export const packetText = async (args: readonly string[], env: Env = {}, cwd?: string) => {
  const options = { cwd: cwd ?? (await makeFolder()), env: cleanEnvironment(env) }
  return (await run(process.execPath, [BINARY, 'packet', ...args], options).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  )) as { code: number; stdout: string; stderr: string }
}

/** Runs `warrant packet --json`, and reads the one document it prints. */
export const packetJson = async (args: readonly string[], env: Env = {}, cwd?: string) => {
  const { code, stdout, stderr } = await packetText([...args, '--json'], env, cwd)
  return { code, answer: JSON.parse(stdout || 'null') as Record<string, unknown>, stderr }
}

/** A folder with a text to pack, and the words that pack it: `embed` as the settings say, `build` without vectors. */
export const makeSource = async (text = '# Wicks\n\nTrim the wick at dusk.\n') => {
  const home = await makeFolder()
  const [source, out] = [join(home, 'src'), join(home, 'out')]
  await mkdir(source)
  await writeFile(join(source, 'guide.md'), text)
  const embed = ['build', source, '--name', 'guide', '--version', '1.0.0', '--out', out]
  return { home, source, folder: join(out, 'guide/1.0.0'), embed, build: [...embed, '--embedder', 'words'] }
}

const SERVER = join(BINARY, '../cpm-mcp.js')

interface Reply {
  readonly id?: number
  // biome-ignore lint/suspicious/noExplicitAny: what a server says may be anything
  readonly result?: any
}

/** Says lines to the packet server, and gives every line it says back; one that is no JSON fails. */
export const converse = async (
  lines: readonly string[],
  env: Env,
  args: readonly string[] = [],
  cwd?: string,
): Promise<readonly Reply[]> => {
  const options = { cwd: cwd ?? (await makeFolder()), env: cleanEnvironment(env) }
  const child = spawn(process.execPath, [SERVER, ...args], options)
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part
  })
  child.stdin.end(`${lines.join('\n')}\n`)
  await once(child, 'close')
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

export const call = (id: number, name: string, args: object): string =>
  request(id, 'tools/call', { name, arguments: args })

/** What a call was answered with. */
export const answerOf = (said: readonly Reply[], id: number): Record<string, unknown> | undefined =>
  said.find((one) => one.id === id)?.result?.structuredContent

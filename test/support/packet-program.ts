import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { BINARY, cleanEnvironment, makeFolder } from './binary.ts'

const run = promisify(execFile)

export type Env = Readonly<Record<string, string>>

/** Runs `warrant packet` as people do. */
export const packetText = async (args: readonly string[], env: Env = {}, cwd = '/') =>
  (await run(process.execPath, [BINARY, 'packet', ...args], { cwd, env: cleanEnvironment(env) }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  )) as { code: number; stdout: string; stderr: string }

/** Runs `warrant packet --json`, and reads the one document it prints. */
export const packetJson = async (args: readonly string[], env: Env = {}, cwd = '/') => {
  const { code, stdout, stderr } = await packetText([...args, '--json'], env, cwd)
  return { code, answer: JSON.parse(stdout || 'null') as Record<string, unknown>, stderr }
}

/** A folder with a text to pack, and the words that pack it. */
export const makeSource = async (text = '# Wicks\n\nTrim the wick at dusk.\n') => {
  const home = await makeFolder()
  const [source, out] = [join(home, 'src'), join(home, 'out')]
  await mkdir(source)
  await writeFile(join(source, 'guide.md'), text)
  const build = ['build', source, '--name', 'guide', '--version', '1.0.0', '--out', out]
  return { home, source, folder: join(out, 'guide/1.0.0'), build }
}

import { execFileSync, spawnSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))

// Text of one byte a letter is read and parsed in half the time.
const toAscii = (/** @type {string} */ code) =>
  code.replace(/[^\0-\x7f]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)

const wrap = async (/** @type {string} */ path) => {
  await rename(path, path.replace(/\.js$/, '.code.js'))
  const code = path.replace(/\.js$/, '.code.js')
  await writeFile(code, toAscii(await readFile(code, 'utf8')))
  await writeFile(path, 'require("./loader.js").load(module,require);\n')
}

/** A commit as it usually is: one file, one finding, evidence of the last run beside it. */
const prepareProject = async (/** @type {string} */ folder) => {
  const git = (/** @type {string[]} */ ...args) => execFileSync('git', args, { cwd: folder, stdio: 'ignore' })
  await mkdir(join(folder, 'src'))
  await writeFile(join(folder, 'package.json'), '{"dependencies":{"express":"5"}}\n')
  git('init', '-q', '-b', 'feature/a')
  git('add', '-A')
  git('-c', 'user.name=a', '-c', 'user.email=a@example.org', 'commit', '-qm', 'a')
  await writeFile(join(folder, 'src/a.ts'), 'console.log(1)\n')
  git('add', '-A')
}

const runGate = (
  /** @type {string} */ program,
  /** @type {string} */ cwd,
  /** @type {string[]} */ options,
) => {
  const { NODE_OPTIONS: _, CI: __, ...env } = process.env
  return spawnSync(process.execPath, [...options, program, 'gate'], { cwd, env, stdio: 'ignore' }).status
}

/**
 * Has V8 write down what it makes of the chunks, in the course of a gate. Without git there is nothing to write, and
 * a build that works all the same.
 * @param {string} dist
 * @param {readonly string[]} chunks
 */
export const makeCodeCache = async (dist, chunks) => {
  for (const name of chunks) await wrap(join(dist, name))
  await cp(join(here, 'loader.cjs'), join(dist, 'chunks/loader.js'))
  const folder = await mkdtemp(join(tmpdir(), 'warrant-build-'))
  try {
    await prepareProject(folder)
    const program = join(dist, 'bin/warrant.js')
    const codes = [[], ['--require', join(here, 'record.cjs')]].map((one) => runGate(program, folder, one))
    if (codes.some((code) => code !== 1)) throw new Error(`the gate ended with ${codes}`)
  } catch (cause) {
    process.stderr.write(`${basename(dist)}: no code cache: ${/** @type {Error} */ (cause).message}\n`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

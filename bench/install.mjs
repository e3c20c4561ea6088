// How long does a first install and build take, from an empty npm cache?

import { execFileSync, spawnSync } from 'node:child_process'
import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { main, readOptions, roundCount } from './lib/cli.mjs'
import { projectDir } from './lib/contestants.mjs'
import { freshDir } from './lib/server.mjs'
import { median } from './lib/stats.mjs'
import { Stop } from './lib/stop.mjs'

/** @param {string} dir */
function copyProject(dir) {
  try {
    const archive = execFileSync('git', ['archive', '--format=tar', 'HEAD'], {
      cwd: projectDir,
      maxBuffer: 1024 ** 3,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    execFileSync('tar', ['-x', '-C', dir], { input: archive })
  } catch {
    throw new Stop('cannot archive HEAD: run this in a git clone with at least one commit')
  }
}

/**
 * @param {string} cwd
 * @param {string[]} args
 */
function npmSeconds(cwd, args) {
  const { NODE_ENV: _, ...env } = process.env
  const began = performance.now()
  const { status, stderr } = spawnSync('npm', args, { cwd, env, encoding: 'utf8' })
  const seconds = (performance.now() - began) / 1000
  if (status !== 0) {
    const told = stderr?.split('\n').find((line) => /^npm error (?!code |A complete log)\S|Error/.test(line))
    throw new Stop(`npm ${args[0]} failed: ${told ?? `exit ${status}`}`)
  }
  return seconds
}

/**
 * @param {string} dir
 * @returns {number}
 */
function sizeBytes(dir) {
  return readdirSync(dir, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(dir, entry.name)
    return sum + (entry.isDirectory() ? sizeBytes(path) : lstatSync(path).size)
  }, 0)
}

await main(async () => {
  const options = readOptions(['rounds'])
  const rounds = roundCount(options, 1)
  /** @type {Record<'install' | 'build' | 'mib' | 'packages', number>[]} */
  const runs = []
  for (let round = 0; round < rounds; round++) {
    const dir = freshDir()
    const cache = freshDir()
    copyProject(dir)
    const install = npmSeconds(dir, ['ci', '--cache', cache])
    const build = npmSeconds(dir, ['run', 'build'])
    const modules = join(dir, 'node_modules')
    const { packages } = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8'))
    runs.push({ install, build, mib: sizeBytes(modules) / 1024 ** 2, packages: Object.keys(packages).length })
  }
  const middle = (/** @type {'install' | 'build' | 'mib' | 'packages'} */ key) =>
    median(runs.map((run) => run[key]))
  if (options.json) {
    console.log(JSON.stringify({ bench: 'install', rounds, runs }, null, 2))
    return
  }
  console.log('| npm ci, empty cache | npm run build | node_modules | packages |')
  console.log('| ---: | ---: | ---: | ---: |')
  const seconds = [middle('install'), middle('build')].map((value) => `${value.toFixed(1)} s`)
  console.log(`| ${seconds.join(' | ')} | ${middle('mib').toFixed(0)} MiB | ${middle('packages')} |`)
})

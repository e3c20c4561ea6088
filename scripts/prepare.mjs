#!/usr/bin/env node
// Runs when the package is packed, or installed from its repository, as pre-commit does. npm then leaves out what a
// build needs when the installation around it is a global one: it is fetched here, from the lockfile.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const hasBuilder = existsSync(join(root, 'node_modules/rolldown'))

// In a clone the programs are there after `npm ci`. Whoever works on them builds with the commands that need it, and
// whoever leaves out what a build needs does not want one.
const isBuilt = existsSync(join(root, 'dist/bin/warrant.js'))
if (process.env.npm_command === 'ci' && (isBuilt || !hasBuilder)) process.exit(0)

const inherited = Object.entries(process.env).filter(
  ([name]) => !/^npm_config_(global|location|prefix)$/i.test(name),
)
const run = (/** @type {string} */ program, /** @type {string[]} */ ...words) => {
  const { status } = spawnSync(program, words, {
    cwd: root,
    env: Object.fromEntries(inherited),
    stdio: ['ignore', 2, 2],
  })
  if (status !== 0) process.exit(status ?? 1)
}

if (!hasBuilder) {
  run('npm', 'ci', '--ignore-scripts', '--include=dev', '--no-audit', '--no-fund')
}
run(process.execPath, 'scripts/build.mjs')

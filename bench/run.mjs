// All measurements of the servers, one after the other, as one document.

import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { main, readOptions, text } from './lib/cli.mjs'
import { benchDir, peer, peerDir, projectDir, warrant } from './lib/contestants.mjs'
import { reportText } from './lib/report.mjs'
import { Stop } from './lib/stop.mjs'

/** @typedef {import('./lib/cli.mjs').Options} Options */

const benches = [
  { file: 'start.mjs', takes: ['warrant'] },
  { file: 'call-stdio.mjs', takes: ['warrant', 'tool', 'args'] },
  { file: 'call-http.mjs', takes: ['serve', 'tool', 'args'] },
  { file: 'beliefs.mjs', takes: [] },
]

/** @param {string} dir */
function versionOf(dir) {
  return JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8')).version
}

function describeMachine() {
  const cores = cpus()
  return {
    date: new Date().toISOString().slice(0, 10),
    node: process.version,
    cpu: `${cores[0]?.model.trim() || 'unknown'}, ${cores.length} cores`,
    load: loadavg().map((value) => value.toFixed(2)),
    warrant: versionOf(projectDir),
    peer: versionOf(peerDir),
  }
}

/**
 * @param {{ file: string, takes: string[] }} bench
 * @param {Options} options
 * @returns {import('./lib/report.mjs').Report}
 */
function runOne({ file, takes }, options) {
  const passed = takes.flatMap((name) => {
    const value = text(options, name)
    return value === undefined ? [] : [`--${name}=${value}`]
  })
  if (options.quick) passed.push('--quick')
  console.error(`running ${file}`)
  // A process each, so that no bench inherits the heap of the one before.
  const { status, stdout } = spawnSync(process.execPath, [join(benchDir, file), '--json', ...passed], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (status !== 0) throw new Stop(`${file} failed`)
  return JSON.parse(stdout)
}

await main(async () => {
  const options = readOptions(['warrant', 'serve', 'tool', 'args'])
  // Anything missing is said now, not minutes later.
  peer()
  for (const name of ['warrant', 'serve']) warrant(text(options, name), [])
  const machine = describeMachine()
  const reports = benches.map((bench) => runOne(bench, options))
  if (options.json) {
    console.log(JSON.stringify({ ...machine, reports }, null, 2))
    return
  }
  const facts = [
    `- Date: ${machine.date}`,
    `- Node: ${machine.node}`,
    `- CPU: ${machine.cpu}`,
    `- Load average at the start: ${machine.load.join(' ')}`,
    `- warrant ${machine.warrant}, peer ${machine.peer}`,
  ]
  console.log(['# Bench', facts.join('\n'), ...reports.map(reportText)].join('\n\n'))
})

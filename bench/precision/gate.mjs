// Runs the built gate in a repository, as its user would.

import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectDir } from '../lib/contestants.mjs'
import { Stop } from '../lib/stop.mjs'

/**
 * @typedef {'CRITICAL' | 'ERROR' | 'WARN' | 'INFO'} Severity
 * @typedef {{ ruleId: string, severity: Severity, message: string, file?: string, fingerprint: string,
 *   region?: { line: number, endLine?: number } }} Finding
 * @typedef {{ status: string, policy: { block_on_or_above: Severity }, findings: Finding[] }} Verdict
 */

/** @type {Readonly<Record<Severity, number>>} */
const RANKS = { INFO: 0, WARN: 1, ERROR: 2, CRITICAL: 3 }

const program = join(projectDir, 'dist/bin/warrant.js')

/** A folder of the run, without the caller's settings in it. */
export function makeHome() {
  const home = mkdtempSync(join(tmpdir(), 'precision-'))
  mkdirSync(join(home, 'home'))
  return home
}

/** @param {string} home */
function cleanEnvironment(home) {
  return {
    PATH: process.env.PATH ?? '',
    HOME: join(home, 'home'),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_AUTHOR_NAME: 'bench',
    GIT_AUTHOR_EMAIL: 'bench@example.com',
    GIT_COMMITTER_NAME: 'bench',
    GIT_COMMITTER_EMAIL: 'bench@example.com',
  }
}

/**
 * @param {string} home
 * @param {string} folder
 * @param {string[]} words
 */
export function git(home, folder, words) {
  return execFileSync('git', ['-C', folder, ...words], {
    env: cleanEnvironment(home),
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
}

/**
 * A repository with one empty commit and everything else staged.
 *
 * @param {string} home
 * @param {string} folder
 */
export function stageAll(home, folder) {
  git(home, folder, ['init', '-q', '-b', 'work'])
  git(home, folder, ['commit', '-q', '--allow-empty', '-m', 'start'])
  git(home, folder, ['add', '-A', '-f'])
}

/**
 * @param {string} home
 * @param {string} folder
 * @param {string[]} words
 * @returns {Verdict}
 */
export function runGate(home, folder, words) {
  if (!existsSync(program)) throw new Stop('build first: npm run build')
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [program, 'gate', ...words, '--json', '--no-evidence'],
    { cwd: folder, env: cleanEnvironment(home), encoding: 'utf8', maxBuffer: 1 << 30 },
  )
  // It leaves with 1 when the change is blocked.
  if (status !== 0 && status !== 1) throw new Stop(`the gate failed in ${folder}: ${stderr.slice(0, 2000)}`)
  return JSON.parse(stdout)
}

/**
 * @param {Severity} severity
 * @param {Severity} least
 */
export function isAtLeast(severity, least) {
  return RANKS[severity] >= RANKS[least]
}

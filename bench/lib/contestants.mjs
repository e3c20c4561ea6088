import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Stop } from './stop.mjs'

export const benchDir = fileURLToPath(new URL('..', import.meta.url))
export const projectDir = resolve(benchDir, '..')

const node = process.execPath
export const peerDir = join(benchDir, 'node_modules/@modelcontextprotocol/server-filesystem')
const warrantFile = join(projectDir, 'dist/bin/warrant.js')

/**
 * @typedef {object} Contestant
 * @property {string} name
 * @property {(dir: string) => string[]} command the argument vector, given the process's own empty directory
 */

/**
 * A command typed by hand names files relative to where it was typed, but the server runs in a directory of its
 * own, and npm moves into the package before a script starts.
 *
 * @param {string} text
 */
function typedCommand(text) {
  const places = [process.cwd(), process.env.INIT_CWD ?? '.']
  const words = text.split(/\s+/).filter(Boolean)
  return words.map((word, index) => {
    if (index === 0) return word === 'node' ? node : word
    const file = places.map((place) => resolve(place, word)).find((path) => existsSync(path))
    return file ?? word
  })
}

/** @returns {Contestant} */
export function bareNode() {
  return { name: 'bare node', command: () => [node, '-e', 'process.stdin.resume()'] }
}

/**
 * @param {'status' | 'node'} [answer] what it answers calls with
 * @returns {Contestant}
 */
export function floorStdio(answer = 'status') {
  return { name: 'floor', command: () => [node, join(benchDir, 'floor-stdio.mjs'), answer] }
}

/** @returns {Contestant} */
export function floorHttp() {
  return { name: 'floor', command: () => [node, join(benchDir, 'floor-http.mjs')] }
}

/** @returns {Contestant} */
export function peer() {
  const file = join(peerDir, 'dist/index.js')
  if (!existsSync(file)) throw new Stop('install the peer first: npm ci --prefix bench')
  return { name: 'peer', command: (dir) => [node, file, dir] }
}

/**
 * @param {string | undefined} typed
 * @param {string[]} args of the built binary, when no command was typed
 * @returns {Contestant}
 */
export function warrant(typed, args) {
  if (typed) {
    const command = typedCommand(typed)
    return { name: 'warrant', command: () => command }
  }
  if (!existsSync(warrantFile)) throw new Stop('build first: npm run build')
  return { name: 'warrant', command: () => [node, warrantFile, ...args] }
}

#!/usr/bin/env node
// @ts-check
// Format, lint and types, side by side: each of them leaves a core idle for half of its time.
import { spawn } from 'node:child_process'

/** @param {string} program @param {string[]} args @returns {Promise<number>} */
const run = (program, args) =>
  new Promise((resolve) => {
    const child = spawn(program, args, { stdio: 'inherit', shell: process.platform === 'win32' })
    child.once('error', (error) => {
      process.stderr.write(`${program}: ${error.message}\n`)
      resolve(1)
    })
    child.once('close', (code) => resolve(code ?? 1))
  })

const codes = await Promise.all([run('biome', ['check', '.']), run('tsc', [])])
process.exitCode = Math.max(...codes)

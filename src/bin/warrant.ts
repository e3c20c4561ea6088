#!/usr/bin/env node
import '../app/guard.ts'
import { main } from '../app/main.ts'

const code = await main(process.argv.slice(2), {
  print: (text) => void process.stdout.write(`${text}\n`),
  note: (text) => void process.stderr.write(`${text}\n`),
})
process.exitCode = code

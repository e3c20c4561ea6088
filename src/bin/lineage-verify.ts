#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { verifyBundle } from '../lineage/bundle.ts'
import { verifyChain } from '../lineage/verify.ts'

/** Verifies an exported lineage and trusts nothing but this file and Node.js. */

const HELP = `Usage:
  lineage-verify BUNDLE.json [VERIFIER [OLDER.txt]]
  lineage-verify ENTRIES.json GENESIS.json

Recomputes every link of an exported lineage and the tree over them, and checks the signature.

  BUNDLE.json   what \`warrant lineage export FILE --bundle\` wrote
  VERIFIER      the key that must have signed it, in one line; without it the bundle's own
  OLDER.txt     a checkpoint of former times: the log must be the same up to there
  ENTRIES.json  what the tool lineage.export wrote
  GENESIS.json  the text of "genesis" in a bundle of the same log

Exits with 0 when all of it holds, 1 when something does not, 2 when there is nothing to verify.
`

const giveUp = (words: string): never => {
  // The words may quote the file, which may hold what paints a terminal.
  process.stderr.write(`lineage-verify: ${words.replace(/\p{Cc}/gu, '?')}\n`)
  process.exit(2)
}

const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    return giveUp(`cannot read ${path}: ${(cause as Error).message}`)
  }
}

const readJson = (path: string): unknown => {
  const text = read(path)
  try {
    return JSON.parse(text)
  } catch (cause) {
    return giveUp(`${path} is not JSON, or not all of it: ${(cause as Error).message}`)
  }
}

const verifyList = async (entries: unknown[], genesis: string | undefined) => {
  if (genesis === undefined)
    return giveUp('a bare list of entries needs the genesis as second argument; a bundle brings it along')
  const chain = await verifyChain(read(genesis).trim(), entries)
  return { good: chain.outcome === 'intact', chain }
}

const [file, second, third] = process.argv.slice(2)
if (file === '--help' || file === '-h') {
  process.stdout.write(HELP)
  process.exit(0)
}
if (file === undefined) giveUp('name the file to verify; --help tells how')

// Whoever runs out of work before the end has verified nothing.
process.exitCode = 1
const input = readJson(file as string)
const older = third === undefined ? undefined : read(third)
void (
  Array.isArray(input) ? verifyList(input, second) : verifyBundle(input, { verifier: second, older })
).then(({ good, ...found }) => {
  process.stdout.write(`${JSON.stringify(found, null, 2)}\n`)
  process.exitCode = good ? 0 : 1
})

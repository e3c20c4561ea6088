#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import manifest from '../../package.json' with { type: 'json' }
import { verifyBundle } from '../lineage/bundle.ts'
import { verifyChain } from '../lineage/verify.ts'

/** Verifies an exported lineage. Depends on the lineage module and Node.js alone, so that an auditor can read it all. */

const HELP = `Usage:
  lineage-verify BUNDLE.json [VERIFIER [OLDER.txt]]
  lineage-verify ENTRIES.json GENESIS.json

Recomputes every link of an exported lineage and the tree over them, and checks the signature.

  BUNDLE.json   the output of \`warrant lineage export FILE --bundle\`
  VERIFIER      the public key that must have signed it, as one line; default: the key in the bundle
  OLDER.txt     an older checkpoint: the log must contain it unchanged
  ENTRIES.json  the output of the tool lineage.export
  GENESIS.json  the text of "genesis" in a bundle of the same log

--version prints the version. Exits with 0 when everything is valid, 1 when something is not, 2 when the input cannot be read.
`

const fail = (message: string): never => {
  // The message may quote the file, which may contain terminal escape sequences.
  process.stderr.write(`lineage-verify: ${message.replace(/\p{Cc}/gu, '?')}\n`)
  process.exit(2)
}

const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    return fail(`cannot read ${path}: ${(cause as Error).message}`)
  }
}

const readJson = (path: string): unknown => {
  const text = read(path)
  try {
    return JSON.parse(text)
  } catch (cause) {
    return fail(`${path} is not valid JSON: ${(cause as Error).message}`)
  }
}

const verifyList = async (entries: unknown[], genesis: string | undefined) => {
  if (genesis === undefined)
    return fail('a list of entries needs the genesis file as second argument; a bundle contains it')
  const chain = await verifyChain(read(genesis).trim(), entries)
  return { good: chain.outcome === 'intact', chain }
}

const [file, second, third, ...rest] = process.argv.slice(2)
if (file === '--help' || file === '-h') {
  process.stdout.write(HELP)
  process.exit(0)
}
if (file === '--version') {
  process.stdout.write(`${manifest.version}\n`)
  process.exit(0)
}
if (file === undefined) fail('name the file to verify; see --help')

// A process that ends early has verified nothing.
process.exitCode = 1
const input = readJson(file as string)
// An ignored argument would look as if it had been checked.
if (rest.length > 0 || (Array.isArray(input) && third !== undefined)) fail('too many arguments; see --help')
const older = third === undefined ? undefined : read(third)
void (
  Array.isArray(input) ? verifyList(input, second) : verifyBundle(input, { verifier: second, older })
).then(({ good, ...result }) => {
  process.stdout.write(`${JSON.stringify(result, null, 2)}\n`)
  process.exitCode = good ? 0 : 1
})

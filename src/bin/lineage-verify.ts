#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import manifest from '../../package.json' with { type: 'json' }
import { verifyBundle } from '../lineage/bundle.ts'
import { isDsseEnvelope, verifyReceiptProof } from '../lineage/tlog/receipt-proof.ts'
import { verifyChain } from '../lineage/verify.ts'

/** Verifies an exported lineage. Depends on the lineage module and Node.js alone, so that an auditor can read it all. */

const HELP = `Usage:
  lineage-verify BUNDLE.json [VERIFIER [OLDER.txt]]
  lineage-verify ENTRIES.json GENESIS.json
  lineage-verify RECEIPT.json PROOF.txt VERIFIER [--log-key VERIFIER] [--witness VERIFIER]...

Recomputes every link of an exported lineage and the tree over them, and checks the signature. Of a receipt it checks
the signature, and that the log of the proof recorded it.

  BUNDLE.json   the output of \`warrant log export FILE --bundle\`
  VERIFIER      the public key that must have signed it, as one line; default: the key in the bundle
  OLDER.txt     an older checkpoint: the log must contain it unchanged
  ENTRIES.json  the output of the tool lineage.export
  GENESIS.json  the text of "genesis" in a bundle of the same log
  RECEIPT.json  a receipt: one DSSE envelope, byte for byte as it was written
  PROOF.txt     the proof of its entry (c2sp.org/tlog-proof), with entry and payload in its line "extra"
  --log-key     the key that must have signed the checkpoint in the proof; default: the key of the receipt
  --witness     a key that must have cosigned the checkpoint; may be repeated

--version prints the version. Exits with 0 when everything is valid, 1 when something is not, 2 when the input cannot be read.
`

const fail = (message: string): never => {
  // The message may quote the file, which may contain terminal escape sequences.
  process.stderr.write(`lineage-verify: ${message.replace(/\p{Cc}/gu, '?')}\n`)
  process.exit(2)
}

const messageIn = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown))

const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    return fail(`cannot read ${path}: ${messageIn(cause)}`)
  }
}

const readJson = (path: string): unknown => {
  const text = read(path)
  try {
    return JSON.parse(text)
  } catch (cause) {
    return fail(`${path} is not valid JSON: ${messageIn(cause)}`)
  }
}

const verifyList = async (entries: unknown[], genesis: string | undefined) => {
  if (genesis === undefined)
    return fail('a list of entries needs the genesis file as second argument; a bundle contains it')
  const chain = await verifyChain(read(genesis).trim(), entries)
  return { good: chain.outcome === 'intact', chain }
}

const OPTIONS: Readonly<Record<string, readonly string[]>> = { '--log-key': [], '--witness': [] }

const words = process.argv.slice(2)
if (words[0] === '--help' || words[0] === '-h') {
  process.stdout.write(HELP)
  process.exit(0)
}
if (words[0] === '--version') {
  process.stdout.write(`${manifest.version}\n`)
  process.exit(0)
}
const given = { ...OPTIONS }
const positionals: string[] = []
for (let word = words.shift(); word !== undefined; word = words.shift()) {
  const values = given[word]
  if (values === undefined) {
    if (word.startsWith('--')) fail(`there is no option ${word}; see --help`)
    positionals.push(word)
    continue
  }
  given[word] = [...values, words.shift() ?? fail(`${word} needs a key; see --help`)]
}
const [file, second, third, ...rest] = positionals
const { '--log-key': logKeys = [], '--witness': witnesses = [] } = given
if (logKeys.length > 1) fail('--log-key may be given once; see --help')
if (file === undefined) fail('name the file to verify; see --help')

const verifyEnvelope = (receipt: string) => {
  if (second === undefined || third === undefined)
    return fail('a receipt needs its proof and the key that signed it; see --help')
  return verifyReceiptProof(read(receipt), read(second), { key: third, logKey: logKeys[0], witnesses })
}

const verifyInput = (path: string) => {
  const input = readJson(path)
  const withReceipt = isDsseEnvelope(input)
  // An ignored argument would look as if it had been checked.
  if (rest.length > 0 || (Array.isArray(input) && third !== undefined)) fail('too many arguments; see --help')
  if (!withReceipt && logKeys.length + witnesses.length > 0)
    fail('--log-key and --witness are for receipts; see --help')
  if (withReceipt) return verifyEnvelope(path)
  if (Array.isArray(input)) return verifyList(input, second)
  return verifyBundle(input, { verifier: second, older: third === undefined ? undefined : read(third) })
}

// A process that ends early has verified nothing.
process.exitCode = 1
void Promise.resolve(verifyInput(file ?? '')).then(({ good, ...result }) => {
  process.stdout.write(`${JSON.stringify(result, null, 2)}\n`)
  process.exitCode = good ? 0 : 1
})

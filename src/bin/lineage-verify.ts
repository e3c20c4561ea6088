#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { openCheckpoint, verifyChain } from '../lineage/verify.ts'

/**
 * Verifies an exported lineage and trusts nothing but this file and Node.js:
 *   lineage-verify BUNDLE.json [VERIFIER]
 *   lineage-verify ENTRIES.json GENESIS.json
 */

const finish = (value: object, good: boolean): never => {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`)
  process.exit(good ? 0 : 1)
}

const readJson = (path: string): unknown => {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (cause) {
    process.stderr.write(`lineage-verify: cannot read ${path}: ${(cause as Error).message}\n`)
    process.exit(2)
  }
}

const [file, second] = process.argv.slice(2)
if (file === undefined || file === '--help') {
  process.stderr.write('Usage: lineage-verify BUNDLE.json [VERIFIER] | ENTRIES.json GENESIS.json\n')
  process.exit(2)
}

const verifyList = async (entries: unknown[], genesis: string | undefined): Promise<never> => {
  if (genesis === undefined) {
    process.stderr.write('lineage-verify: a bare list of entries needs the genesis as second argument\n')
    process.exit(2)
  }
  const chain = await verifyChain(readFileSync(genesis, 'utf8').trim(), entries)
  return finish({ chain }, chain.outcome === 'intact')
}

const verifyBundle = async (input: unknown, given: string | undefined): Promise<never> => {
  const bundle = input as { genesis?: unknown; checkpoint?: unknown; verifier?: unknown; entries?: unknown }
  if (typeof bundle.genesis !== 'string' || !Array.isArray(bundle.entries)) {
    return finish({ outcome: 'unreadable', why: 'this is no lineage bundle' }, false)
  }
  const chain = await verifyChain(bundle.genesis, bundle.entries as unknown[])
  // A key that travels with the bundle proves only that nobody changed it on the way without the key.
  const checkpoint = openCheckpoint(String(bundle.checkpoint), given ?? String(bundle.verifier))
  const matches =
    chain.outcome === 'intact' && checkpoint?.size === chain.size && checkpoint.root === chain.root
  const key = given === undefined ? 'from the bundle' : 'given'
  return finish({ chain, checkpoint: checkpoint ?? 'not signed by this key', key, matches }, matches)
}

// Whoever runs out of work before the end has verified nothing.
process.exitCode = 1
const input = readJson(file)
void (Array.isArray(input) ? verifyList(input, second) : verifyBundle(input, second))

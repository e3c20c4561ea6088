#!/usr/bin/env node
// Runs a TypeScript script: `node scripts/run.mjs scripts/docs.ts ARGS`.
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const [script = '', ...args] = process.argv.slice(2)
const folder = await mkdtemp('node_modules/.run-')
try {
  const outfile = join(folder, 'script.mjs')
  await build({
    entryPoints: [script],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'warning',
  })
  const { main } = await import(pathToFileURL(outfile).href)
  await main(args)
} finally {
  await rm(folder, { recursive: true, force: true })
}

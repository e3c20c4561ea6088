import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import openWabt from 'wabt'

const FOLDER = fileURLToPath(new URL('../src/packets/search/wasm/', import.meta.url))

/** The TypeScript module that holds the assembled `scan.wat`. It is checked in, so that tests need no build. */
export const assembleScan = async () => {
  const wabt = await openWabt()
  const module = wabt.parseWat('scan.wat', readFileSync(`${FOLDER}scan.wat`, 'utf8'), { simd: true })
  const base64 = Buffer.from(module.toBinary({}).buffer).toString('base64')
  return `/** \`scan.wat\`, assembled by \`npm run wasm\`. */\nexport const SCAN_BYTES =\n  '${base64}'\n`
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(`${FOLDER}scan-bytes.ts`, await assembleScan())

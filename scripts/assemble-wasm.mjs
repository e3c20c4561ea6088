import { readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import openWabt from 'wabt'

const SRC = fileURLToPath(new URL('../src/', import.meta.url))

/** Every WebAssembly text that is assembled; the module is beside it. */
export const WASM_TEXTS = [
  'packets/search/wasm/scan.wat',
  'packets/minilm/wasm/layers.wat',
  'packets/minilm/wasm/multiply.wat',
]

/** Where the module of a WebAssembly text is. @param {string} path */
export const wasmModulePath = (path) => `${SRC}${path.replace(/\.wat$/, '-bytes.ts')}`

/** The TypeScript module that holds an assembled text. It is checked in, so that tests need no build. @param {string} path */
export const assembleWasm = async (path) => {
  const wabt = await openWabt()
  const name = basename(path)
  const module = wabt.parseWat(name, readFileSync(SRC + path, 'utf8'), { simd: true })
  const base64 = Buffer.from(module.toBinary({}).buffer).toString('base64')
  const constant = `${basename(path, '.wat').toUpperCase()}_BYTES`
  return `/** \`${name}\`, assembled by \`npm run wasm\`. */\nexport const ${constant} =\n  '${base64}'\n`
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const path of WASM_TEXTS) writeFileSync(wasmModulePath(path), await assembleWasm(path))

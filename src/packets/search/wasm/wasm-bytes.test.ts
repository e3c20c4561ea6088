import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { assembleWasm, WASM_TEXTS, wasmModulePath } from '../../../../scripts/assemble-wasm.mjs'

it.each(WASM_TEXTS)('the module of %s is what it assembles to; `npm run wasm` writes it', async (path) => {
  expect(readFileSync(wasmModulePath(path), 'utf8')).toBe(await assembleWasm(path))
})

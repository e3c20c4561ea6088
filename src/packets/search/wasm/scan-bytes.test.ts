import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { assembleScan } from '../../../../scripts/assemble-wasm.mjs'

it('scan-bytes.ts is what scan.wat assembles to; `npm run wasm` writes it', async () => {
  const file = new URL('scan-bytes.ts', import.meta.url)
  expect(readFileSync(file, 'utf8')).toBe(await assembleScan())
})

import { SCAN } from './scan.ts'

type Scan = (
  rows: number,
  stride: number,
  facts: number,
  first: number,
  last: number,
  query: number,
  scale: number,
  byLength: number,
  byResidue: number,
  least: number,
  out: number,
) => number

const open = (module: Uint8Array<ArrayBuffer>, memory: WebAssembly.Memory) =>
  new WebAssembly.Instance(new WebAssembly.Module(module), { host: { memory } }).exports

/** The routines over a memory. */
export const loadScanModule = (memory: WebAssembly.Memory) => ({
  scan: open(SCAN, memory).scan as Scan,
})

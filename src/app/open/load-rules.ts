import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Scanner } from '../../gate/ports.ts'
import type { Examples } from '../../gate/rules/explain.ts'
import type { ShippedRules } from '../../gate/rules/packs.ts'
import { digestBytes } from '../../kernel/encoding/hash.ts'
import type { ScanResults } from '../../platform/scanner/scan-results.ts'
import { VERSION } from '../config/version.ts'

// Bundled files lie one folder below dist/. Sources, as tests import them, lie three folders below its parent.
const builtFile = (name: string): string => {
  const candidates = [`../${name}`, `../../../dist/${name}`].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  )
  return candidates.find((path) => existsSync(path)) ?? candidates[0] ?? name
}

/** The shipped rules. The build has validated them, so they are not validated again. */
export const loadShippedRules = async (): Promise<ShippedRules> =>
  JSON.parse(await readFile(builtFile('rules.json'), 'utf8')) as ShippedRules

/** Example snippets of each rule, in a separate file because only `gate_explain` needs them. */
export const loadExamples = async (): Promise<Examples> =>
  JSON.parse(await readFile(builtFile('rule-examples.json'), 'utf8')) as Examples

/** What the scanner does with results of earlier scans. */
export interface ScanReuse {
  /** The first files of a run are scanned in any case. */
  readonly after: number
  readonly open: () => Promise<ScanResults>
  /** Called at the end of a scan. */
  readonly save?: () => Promise<void>
}

/** The scanner. Its native parser is loaded with the first file. */
export const openScanner = async (reuse?: ScanReuse): Promise<Scanner> => {
  const { astScanner } = await import('../../platform/scanner/scanner.ts')
  const worker = builtFile('bin/scan-child.js')
  if (reuse === undefined) return astScanner({ worker })
  // The file names the modules that it loads by their content.
  const program = digestBytes(`${VERSION} ${await readFile(worker, 'utf8')}`)
  const scanner = astScanner({ worker, known: { ...reuse, program } })
  return {
    async *scan(...args) {
      yield* scanner.scan(...args)
      await reuse.save?.()
    },
  }
}

import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Scanner } from '../../gate/ports.ts'
import type { Examples } from '../../gate/rules/explain.ts'
import type { ShippedRules } from '../../gate/rules/packs.ts'
import {
  joinRules,
  type PartName,
  partsFor,
  type RuleScope,
  type RulesIndex,
  type RulesPart,
  restorePart,
  type StoredPart,
} from '../../gate/rules/shipped-parts.ts'
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

const readBuilt = async <T>(name: string): Promise<T> =>
  JSON.parse(await readFile(builtFile(name), 'utf8')) as T

/** Loads shipped rules: all of them, or those of the default profile that may read these files. */
type LoadRules = (scope?: RuleScope) => Promise<ShippedRules>

/** Opens the shipped rules. The build has validated them, so they are not validated again. */
export const openShippedRules = (): LoadRules => {
  const opened = new Map<PartName, Promise<RulesPart>>()
  const read = (name: PartName): Promise<RulesPart> => {
    const part = opened.get(name) ?? readBuilt<StoredPart>(`rules/${name}.json`).then(restorePart)
    // Handled where it is awaited; the shared part is read ahead.
    part.catch(() => {})
    opened.set(name, part)
    return part
  }
  const index = readBuilt<RulesIndex>('rules.json')
  index.catch(() => {})
  void read('shared')
  return async (scope) => {
    const known = await index
    const names = scope === undefined ? known.parts : partsFor(known, scope)
    return joinRules(known, await Promise.all(names.map(read)))
  }
}

export const loadShippedRules = (): Promise<ShippedRules> => openShippedRules()()

/** The digest of the files of this program, as the build wrote it. */
export const readBuildDigest = async (): Promise<string> =>
  (await readFile(builtFile('build.txt'), 'utf8')).trim()

/** Example snippets of each rule, in a separate file because only `gate_explain` needs them. */
export const loadExamples = (): Promise<Examples> => readBuilt('rule-examples.json')

/** What the scanner does with results of earlier scans. */
export interface ScanReuse {
  /** The first files of a run are scanned in any case. */
  readonly after: number
  readonly open: () => Promise<ScanResults>
  /** Called at the end of a scan. */
  readonly save?: () => Promise<void>
}

/** The program of a scanning child. */
export const scanWorkerPath = (): string => builtFile('bin/scan-child.js')

/** A scanner whose processes stay for the next scan, until it is closed. The caller saves the results. */
export const openLastingScanner = async (reuse?: ScanReuse) => {
  const { lastingScanner } = await import('../../platform/scanner/scanner.ts')
  const worker = scanWorkerPath()
  return lastingScanner({ worker, ...(reuse && { known: await knownResults(reuse, worker) }) })
}

// The file names the modules that it loads by their content.
const knownResults = async (reuse: ScanReuse, worker: string) => ({
  ...reuse,
  program: digestBytes(`${VERSION} ${await readFile(worker, 'utf8')}`),
})

/** The scanner. Its native parser is loaded with the first file. */
export const openScanner = async (reuse?: ScanReuse): Promise<Scanner> => {
  const { astScanner } = await import('../../platform/scanner/scanner.ts')
  const worker = scanWorkerPath()
  if (reuse === undefined) return astScanner({ worker })
  const scanner = astScanner({ worker, known: await knownResults(reuse, worker) })
  return {
    async *scan(...args) {
      yield* scanner.scan(...args)
      await reuse.save?.()
    },
  }
}

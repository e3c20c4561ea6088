import { fileURLToPath } from 'node:url'
import type { FileContent, ScanReport } from '../../src/gate/ports.ts'
import { compileRules, selectRules } from '../../src/gate/rules/compile.ts'
import type { CompiledRule } from '../../src/gate/rules/compiled-rule.ts'
import { type Pack, readPack } from '../../src/gate/rules/packs.ts'
import type { PlatformRoots } from '../../src/gate/rules/paths-by-rule.ts'
import { astScanner, type ScannerLimits } from '../../src/platform/scanner/scanner.ts'

export const SCAN_CHILD = fileURLToPath(new URL('../../dist/bin/scan-child.js', import.meta.url))

const EVERYWHERE = ['android', 'backend', 'frontend', 'go', 'ios', 'java', 'python']
/** Every platform in the whole repository. */
export const ALL_ROOTS: PlatformRoots = Object.fromEntries(EVERYWHERE.map((name) => [name, ['']]))

export const compileAll = (packs: readonly Pack[], trusted = true): CompiledRule[] =>
  compileRules(selectRules(packs, { roots: ALL_ROOTS, stage: 'CI' }), trusted)

/** Compiles rule files as user rules. */
export const compileUserRules = async (...texts: readonly string[]): Promise<CompiledRule[]> => {
  const sources = texts.map((text, index) => ({ path: `.warrant/rules/${index}.yml`, text }))
  return compileAll([await readPack('project', '0', sources)], false)
}

export const asFiles = (files: Readonly<Record<string, string | Uint8Array>>): FileContent[] =>
  Object.entries(files).map(([path, body]) => ({
    path,
    bytes: typeof body === 'string' ? new TextEncoder().encode(body) : body,
  }))

async function* stream(files: Iterable<FileContent>): AsyncGenerator<FileContent> {
  yield* files
}

/** Runs the real scanner to completion. */
export const scanAll = async (
  files: Iterable<FileContent>,
  rules: readonly CompiledRule[],
  limits: Partial<ScannerLimits> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<ScanReport[]> => {
  const reports: ScanReport[] = []
  for await (const report of astScanner({ worker: SCAN_CHILD, limits }).scan(stream(files), rules, signal)) {
    reports.push(report)
  }
  return reports
}

import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Scanner } from '../../gate/ports.ts'
import type { Examples } from '../../gate/rules/explain.ts'
import type { ShippedRules } from '../../gate/rules/packs.ts'

// Bundled files lie one folder below dist/. Sources, as tests import them, lie three folders below its parent.
const builtFile = (name: string): string => {
  const places = [`../${name}`, `../../../dist/${name}`].map((place) =>
    fileURLToPath(new URL(place, import.meta.url)),
  )
  return places.find((path) => existsSync(path)) ?? places[0] ?? name
}

/** The rules we ship, as the build wrote them: they were checked then, and are not checked again. */
export const loadShippedRules = async (): Promise<ShippedRules> =>
  JSON.parse(await readFile(builtFile('rules.json'), 'utf8')) as ShippedRules

/** Snippets that show what each rule means. Nobody needs them to judge, so they lie apart. */
export const loadExamples = async (): Promise<Examples> =>
  JSON.parse(await readFile(builtFile('rule-examples.json'), 'utf8')) as Examples

/** The scanner with its native parser, which is loaded with the first file. */
export const openScanner = async (): Promise<Scanner> =>
  (await import('../../platform/scanner/scanner.ts')).astScanner({ worker: builtFile('bin/scan-child.js') })

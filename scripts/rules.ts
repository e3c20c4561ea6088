import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { type Pack, type RuleBook, type RuleSource, readPack, readRelabels } from '../src/gate/packs.ts'
import { parseAs, readYaml } from '../src/gate/rule-text.ts'

const Versions = z.record(z.string(), z.string())

const sourcesIn = (folder: string): RuleSource[] =>
  readdirSync(folder)
    .sort()
    .map((name) => ({ path: join(folder, name), text: readFileSync(join(folder, name), 'utf8') }))

const readFolder = async <T>(path: string, schema: z.ZodType<T>): Promise<T> =>
  parseAs(schema, path, await readYaml(path, readFileSync(path, 'utf8')))

/** Everything under `rules/`, read and checked. */
export const readBook = async (folder = 'rules'): Promise<RuleBook> => {
  const versions = await readFolder(join(folder, 'packs.yml'), Versions)
  const packs: Pack[] = []
  for (const [name, version] of Object.entries(versions).sort(([a], [b]) => (a < b ? -1 : 1))) {
    packs.push(await readPack(name, version, sourcesIn(join(folder, name))))
  }
  const relabels = readRelabels(
    join(folder, 'skills.yml'),
    await readFolder(join(folder, 'skills.yml'), z.unknown()),
  )
  return { packs, relabels }
}

export const main = async ([out = 'dist/rules.json']: readonly string[]): Promise<void> => {
  writeFileSync(out, JSON.stringify(await readBook()))
}

import * as z from 'zod'
import { compareText } from '../../evidence/compare.ts'
import { SEVERITIES } from '../../evidence/severities.ts'
import { digestJson } from '../../kernel/encoding/hash.ts'
import type { ShippedRules } from './packs.ts'
import { parseAs, readRuleYaml } from './parse-rule.ts'
import { ruleFaults } from './rule-faults.ts'
import { type SeverityOverrides, shippedOverrides } from './severity-overrides.ts'

const WeightsFile = z.strictObject({
  severities: z.record(z.string(), z.enum([...SEVERITIES, 'OFF'])),
})

/** Reads what a repository says of our rules. A name that is none of ours would change nothing and look as if it did. */
export const readSeverityOverrides = async (
  path: string,
  text: string,
  shippedRules: ShippedRules,
): Promise<SeverityOverrides> => {
  const { severities } = parseAs(WeightsFile, path, await readRuleYaml(path, text))
  const shipped = shippedOverrides(shippedRules)
  const list = Object.entries(severities)
    .sort(([a], [b]) => compareText(a, b))
    .map(([rule, to]) => {
      const from = shipped.get(rule)
      if (from === undefined)
        throw ruleFaults.unknown(`${path}: there is no rule ${JSON.stringify(rule)} of ours`)
      return { rule, from, to }
    })
  return { of: new Map(list.map(({ rule, to }) => [rule, to])), list, digest: digestJson(severities) }
}

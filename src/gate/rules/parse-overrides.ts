import * as z from 'zod'
import { compareText, SEVERITIES } from '../../evidence/compare.ts'
import { digestJson } from '../../kernel/encoding/hash.ts'
import type { ShippedRules } from './packs.ts'
import { parseAs, readRuleYaml } from './parse-rule.ts'
import type { RuleProfile } from './profile.ts'
import { ruleFaults } from './rule-faults.ts'
import { type SeverityOverrides, shippedSeverities } from './severity-overrides.ts'

const OverridesFile = z.strictObject({
  severities: z.record(z.string(), z.enum([...SEVERITIES, 'OFF'])),
})

/** Reads the severity overrides. An unknown rule is a fault: the entry would silently have no effect. */
export const readSeverityOverrides = async (
  path: string,
  text: string,
  { shippedRules, profile }: { readonly shippedRules: ShippedRules; readonly profile: RuleProfile },
): Promise<SeverityOverrides> => {
  const { severities } = parseAs(OverridesFile, path, await readRuleYaml(path, text))
  const shipped = shippedSeverities(shippedRules, profile)
  const list = Object.entries(severities)
    .sort(([a], [b]) => compareText(a, b))
    .map(([rule, to]) => {
      const from = shipped.get(rule)
      if (from === undefined)
        throw ruleFaults.unknown(`${path}: no shipped rule is called ${JSON.stringify(rule)}`)
      return { rule, from, to }
    })
  return { byRule: new Map(list.map(({ rule, to }) => [rule, to])), list, digest: digestJson(severities) }
}

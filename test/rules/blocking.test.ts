import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readShippedRules } from '../../scripts/rules.ts'
import { profileSeverity } from '../../src/gate/rules/profile.ts'

/** A shipped rule blocks because its findings are certain, or because those of its group were read and were right. */

interface Label {
  readonly group: string
  readonly rule: string
  readonly repo: string
  readonly label: 'right' | 'wrong'
}

const labels: readonly Label[] = JSON.parse(readFileSync('bench/precision/labels-blocking.json', 'utf8'))
const rules = (await readShippedRules()).packs.flatMap((pack) => pack.rules)
const groups = [...new Set(rules.flatMap(({ metadata }) => metadata?.blocks ?? []))].filter(
  (group) => group !== 'certain',
)

const shareRight = (read: readonly Label[]) =>
  read.filter(({ label }) => label === 'right').length / read.length

describe('a rule that blocks', () => {
  it.each(groups)('belongs to a group that was measured: %s', (group) => {
    const read = labels.filter((one) => one.group === group)
    expect(read.length).toBeGreaterThanOrEqual(10)
    expect(new Set(read.map(({ repo }) => repo)).size).toBeGreaterThanOrEqual(5)
    expect(shareRight(read)).toBeGreaterThanOrEqual(0.9)
  })

  it('is not carried by the others of its group', () => {
    const names = [...new Set(labels.map(({ rule }) => rule))]
    const often = names
      .map((name) => labels.filter(({ rule }) => rule === name))
      .filter(({ length }) => length >= 5)
    expect(often.length).toBeGreaterThan(20)
    expect(often.filter((read) => shareRight(read) < 0.7).map(([one]) => one?.rule)).toEqual([])
  })

  it('says why; every other rule warns in the default profile', () => {
    const blocking = rules.filter((rule) => /ERROR|CRITICAL/.test(profileSeverity(rule, 'default') ?? ''))
    expect(blocking.length).toBeGreaterThan(50)
    expect(blocking.filter(({ metadata }) => metadata?.blocks === undefined)).toEqual([])
    const capped = rules.filter(({ metadata }) => /ERROR|CRITICAL/.test(metadata?.severity ?? ''))
    expect(capped.length).toBeGreaterThan(blocking.length)
  })
})

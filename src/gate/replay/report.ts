import * as z from 'zod'
import { compareText, SEVERITIES } from '../../evidence/compare.ts'
import { pushTo } from '../../kernel/multimap.ts'
import { plural } from '../../kernel/text/plural.ts'
import { escapeLine } from '../reports/text.ts'
import type { PastFinding, Replay } from './judge-past.ts'

interface Earlier {
  readonly commits: readonly string[]
  readonly findings: readonly Pick<PastFinding, 'commit' | 'subject' | 'rule' | 'blocks'>[]
}

const FINDING = z.object({ commit: z.string(), subject: z.string(), rule: z.string(), blocks: z.boolean() })
const EARLIER = z.object({ commits: z.array(z.string()), findings: z.array(FINDING) })

/** The output of an earlier `replay --json`; throws where it is none. */
export const readEarlier = (text: string): Earlier => EARLIER.parse(JSON.parse(text))

const groupFindingsBy = <T>(
  all: readonly T[],
  keyOf: (one: T) => string,
): ReadonlyMap<string, readonly T[]> => {
  const groups = new Map<string, T[]>()
  for (const one of all) pushTo(groups, keyOf(one), one)
  return groups
}

/** Of the commits that both replays judged: those that only one of them stops. */
const compareReplays = (replay: Earlier, earlier: Earlier) => {
  const before = new Set(earlier.commits)
  const both = new Set(replay.commits.filter((one) => before.has(one)))
  const stoppedBy = ({ findings }: Earlier) =>
    groupFindingsBy(
      findings.filter((one) => one.blocks && both.has(one.commit)),
      ({ commit }) => commit,
    )
  const [now, then] = [stoppedBy(replay), stoppedBy(earlier)]
  const without = (all: typeof now, others: typeof now) =>
    [...all]
      .filter(([commit]) => !others.has(commit))
      .map(([commit, found]) => ({
        commit,
        subject: found[0]?.subject ?? '',
        rules: [...new Set(found.map(({ rule }) => rule))].sort(compareText),
      }))
  return { commits: both.size, stoppedNow: without(now, then), noLongerStopped: without(then, now) }
}

/** The counts by rule, as `--json` has them in addition to all findings. */
const countStopped = (replay: Replay) => {
  const blocking = replay.findings.filter(({ blocks }) => blocks)
  const warning = replay.findings.filter(({ blocks }) => !blocks)
  const rules = [...groupFindingsBy(blocking, ({ rule }) => rule)].map(([rule, all]) => ({
    rule,
    commits: new Set(all.map(({ commit }) => commit)).size,
    places: all.length,
    fixedWithin30Days: all.filter((one) => one.fixedWithin30Days).length,
  }))
  const warnings = SEVERITIES.toReversed().flatMap((severity) =>
    [
      ...groupFindingsBy(
        warning.filter((one) => one.severity === severity),
        ({ rule }) => rule,
      ),
    ]
      .map(([rule, { length: count }]) => ({ rule, severity, count }))
      .sort((a, b) => b.count - a.count || compareText(a.rule, b.rule)),
  )
  return {
    judged: replay.commits.length,
    stopped: new Set(blocking.map(({ commit }) => commit)).size,
    rules: rules.sort((a, b) => b.commits - a.commits || compareText(a.rule, b.rule)),
    warnings,
  }
}

const MOST_TEXT_RULES = 15
const MOST_COMMITS = 3
const MOST_PLACES = 2

const limitLines = (lines: readonly string[], most: number): string[] => [
  ...lines.slice(0, most),
  ...(lines.length > most ? [`  … and ${lines.length - most} more: --json`] : []),
]

const shortenText = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1)}…` : text

const commitLine = ({ commit, subject }: Pick<PastFinding, 'commit' | 'subject'>, rest: string): string =>
  `  ${commit.slice(0, 10)} ${escapeLine(shortenText(subject, 50))}: ${escapeLine(shortenText(rest, 100))}`

const stoppedLines = (findings: readonly PastFinding[]): string[] => {
  const lines = [...groupFindingsBy(findings, ({ commit }) => commit).values()].flatMap((all) => {
    const places = all.map(({ path, line }) => (line === undefined ? path : `${path}:${line}`))
    const more = places.length > MOST_PLACES ? ` and ${places.length - MOST_PLACES} more` : ''
    const shown = `${places.slice(0, MOST_PLACES).join(', ')}${more}`
    return all.slice(0, 1).map((one) => commitLine(one, shown))
  })
  return limitLines(lines, MOST_COMMITS)
}

const titled = (title: string, lines: readonly string[], most = MOST_TEXT_RULES): string[] =>
  lines.length === 0 ? [] : ['', title, ...limitLines(lines, most)]

/** The replay as `--json` prints it, and as text. */
export const reportReplay = (replay: Replay, ms: number, earlier: Earlier | undefined) => {
  const compared = earlier && compareReplays(replay, earlier)
  const report = { ...countStopped(replay), ms, ...replay, ...(compared && { compared }) }
  const { rules, warnings, stage, judged, stopped, notJudged } = report
  const byRules = (all: NonNullable<typeof compared>['stoppedNow'] = []) =>
    all.map((one) => commitLine(one, one.rules.join(', ')))
  const write = (): string =>
    [
      `${plural(judged, 'commit')} judged at ${stage}, ${stopped} stopped, ${(ms / 1_000).toFixed(1)} s`,
      'By the rules alone: checks, receipts, specification and branch are not replayed; merges are left out.',
      ...rules
        .slice(0, MOST_TEXT_RULES)
        .flatMap(({ rule, commits, places, fixedWithin30Days: fixed }) => [
          '',
          `${rule}: ${plural(commits, 'commit')}, ${plural(places, 'place')}, ${fixed} fixed within 30 days`,
          ...stoppedLines(replay.findings.filter((one) => one.blocks && one.rule === rule)),
        ]),
      ...(rules.length > MOST_TEXT_RULES
        ? ['', `… and ${rules.length - MOST_TEXT_RULES} more rules: --json`]
        : []),
      ...titled(
        'Warnings',
        warnings.map(
          ({ rule, severity, count }) => `  ${String(count).padStart(6)}  ${severity.padEnd(8)}  ${rule}`,
        ),
      ),
      ...titled(
        `${plural(notJudged.length, 'commit')} not judged`,
        notJudged.map((one) => commitLine(one, one.reason)),
        MOST_COMMITS,
      ),
      ...titled('Stopped now and not before', byRules(compared?.stoppedNow)),
      ...titled('Stopped before and not now', byRules(compared?.noLongerStopped)),
      ...(compared === undefined ? [] : ['', `Compared: ${plural(compared.commits, 'commit')} in both`]),
    ].join('\n')
  return { report, write }
}

import { familyOf } from '../../evidence/consolidate.ts'
import type { Severity } from '../../evidence/schema.ts'
import { extensionOf } from '../../kernel/text/languages.ts'
import { stageSeverity } from '../policy.ts'
import type { ChangeSet, CompiledRule, FileContent, Match, Scanner, ScanReport } from '../ports.ts'
import type { Excerpt } from '../reports/report.ts'
import type { RuleSet } from '../rules/assemble-rules.ts'
import { grammarFor } from '../rules/languages.ts'
import type { GateStage } from '../stage.ts'
import type { Unfingerprinted } from './baseline.ts'
import { excerptOf, redactSecrets, regionText, splitSourceLines } from './excerpt.ts'
import { SUPPRESSION_RULES, type Suppression, type Suppressions, suppress } from './suppress.ts'

/** A finding before it has a state and a fingerprint. */
export interface FindingDraft extends Unfingerprinted {
  readonly excerpt?: Excerpt
  /** The reason given in a suppression comment. */
  readonly suppressed?: string
  /** That comment. */
  readonly suppressedBy?: Suppression
}

/** Findings about files that could not be scanned completely. They must not pass as clean. */
const FILE_PROBLEMS = {
  broken: {
    ruleId: 'gate.parse-error',
    severity: 'WARN',
    code: 'PARSE_ERROR',
    message: 'The file has a syntax error here, so rules may have missed findings in it.',
    fix: 'Correct the syntax. If it is valid but newer than the parser, accept the finding with `warrant gate baseline`.',
  },
  'given-up': {
    ruleId: 'gate.file-given-up',
    severity: 'ERROR',
    code: 'FILE_GIVEN_UP',
    message: 'The file was not scanned completely',
    fix: 'Split the file, or accept the finding with `warrant gate baseline`.',
  },
  unread: {
    ruleId: 'gate.file-unread',
    severity: 'ERROR',
    code: 'FILE_UNREAD',
    message: 'The file exists but cannot be read.',
    fix: 'Correct its permissions. If they are right, run `git fsck` to find damaged objects.',
  },
} as const satisfies Record<string, Pick<FindingDraft, 'ruleId' | 'severity' | 'code' | 'message' | 'fix'>>

const GIVEN_UP: Readonly<Record<(ScanReport & { outcome: 'given-up' })['why'], string>> = {
  time: 'the scan took too long',
  size: 'it is too large',
  crash: 'the parser crashed',
  matches: 'it has more than 10,000 matches',
}

interface CollectPorts {
  readonly set: ChangeSet
  readonly rules: RuleSet
  readonly scanner: () => Promise<Scanner>
  readonly stage: GateStage
  readonly progress: (done: number, total: number) => void
}

/** The lines of a file, and the same lines with secrets redacted, for reports. */
interface FileLines {
  readonly lines: readonly string[]
  readonly redacted: readonly string[]
}

/** Collects the findings of one scan. It keeps the bytes of files in flight for excerpts. */
class Collection {
  readonly drafts: FindingDraft[] = []
  scanned = 0
  readonly #ports: CollectPorts
  readonly #bytes = new Map<string, Uint8Array>()

  constructor(ports: CollectPorts) {
    this.#ports = ports
  }

  async *contents(paths: readonly string[], signal: AbortSignal): AsyncGenerator<FileContent> {
    for await (const reading of this.#ports.set.read(paths, signal)) {
      if (reading.bytes === undefined) {
        this.#addProblem(reading.path, FILE_PROBLEMS.unread)
        continue
      }
      this.#bytes.set(reading.path, reading.bytes)
      yield reading
    }
  }

  accept(report: ScanReport): void {
    const { path } = report
    const bytes = this.#bytes.get(path)
    this.#bytes.delete(path)
    if (report.outcome === 'skipped') return
    this.scanned += 1
    const { kept, suppressed, notices } = this.#applySuppressions(report)
    const lines = bytes === undefined ? [] : splitSourceLines(bytes)
    // Reports end up in logs and CI services, so secrets are redacted.
    const secrets = report.matches.filter(({ ruleId }) => this.#ports.rules.byId.get(ruleId)?.secret)
    const redacted = redactSecrets(lines, secrets)
    for (const match of kept) this.#addMatch(path, match, { lines, redacted })
    for (const { match, by } of suppressed) this.#addMatch(path, match, { lines, redacted }, by)
    for (const match of notices) this.#addNotice(path, match, redacted)
    if (report.outcome === 'broken') {
      const { line, column } = report
      const region = { line, column, endLine: line, endColumn: column + 1 }
      this.#addProblem(path, FILE_PROBLEMS.broken, { region, excerpt: excerptOf(redacted, region) })
    }
    if (report.outcome === 'given-up') {
      const { message } = FILE_PROBLEMS['given-up']
      this.#addProblem(path, {
        ...FILE_PROBLEMS['given-up'],
        message: `${message}: ${GIVEN_UP[report.why]}.`,
      })
    }
  }

  /** Splits the matches by the suppression comments of the file. */
  #applySuppressions(
    report: ScanReport & { readonly outcome: Exclude<ScanReport['outcome'], 'skipped'> },
  ): Suppressions {
    if (report.comments.length === 0) return { kept: report.matches, suppressed: [], notices: [] }
    const extension = extensionOf(report.path)
    const applied = this.#ports.rules.rules.filter(
      ({ language, covers }) => grammarFor(language, extension) !== undefined && covers(report.path),
    )
    const active = new Set(applied.map(({ id }) => id))
    return suppress(report, { active, equivalent: (one, other) => familyOf(one) === familyOf(other) })
  }

  #addNotice(
    file: string,
    { ruleId, line, column, endLine, endColumn }: Match,
    lines: readonly string[],
  ): void {
    const rule = Object.entries(SUPPRESSION_RULES).find(([id]) => id === ruleId)?.[1]
    if (rule === undefined) return
    const region = { line, column, endLine, endColumn }
    this.#addProblem(file, { ruleId, ...rule }, { region, excerpt: excerptOf(lines, region) })
  }

  #addMatch(path: string, match: Match, { lines, redacted }: FileLines, suppressedBy?: Suppression): void {
    const rule = this.#ports.rules.byId.get(match.ruleId)
    if (rule === undefined) return
    const { line, column, endLine, endColumn } = match
    const region = { line, column, endLine, endColumn }
    this.drafts.push({
      ruleId: rule.id,
      severity: stageSeverity(rule, this.#ports.stage),
      code: rule.code,
      message: match.message,
      file: path,
      region,
      ...(rule.why !== undefined && { why: rule.why }),
      ...(rule.fix !== undefined && { fix: rule.fix }),
      matchedBy: rule.id.startsWith('heuristics.') ? 'Heuristic' : 'FileContent',
      source: this.#ports.set.source,
      text: regionText(lines, region),
      excerpt: excerptOf(redacted, region),
      ...(suppressedBy !== undefined && { suppressed: suppressedBy.reason, suppressedBy }),
    })
  }

  #addProblem(
    file: string,
    problem: { ruleId: string; severity: Severity; code: string; message: string; fix: string },
    place: Pick<FindingDraft, 'region' | 'excerpt'> = {},
  ): void {
    this.drafts.push({
      ...problem,
      file,
      ...place,
      matchedBy: 'FileContent',
      source: this.#ports.set.source,
      text: '',
    })
  }
}

/** Whether any rule applies to a path: other files are not read at all. */
const coveredPaths = (rules: readonly CompiledRule[]): ((path: string) => boolean) => {
  const groups = new Map<CompiledRule['language'], Set<CompiledRule['covers']>>()
  for (const { language, covers } of rules)
    groups.set(language, (groups.get(language) ?? new Set()).add(covers))
  return (path) => {
    const extension = extensionOf(path)
    for (const [language, tests] of groups) {
      if (grammarFor(language, extension) === undefined) continue
      for (const covers of tests) if (covers(path)) return true
    }
    return false
  }
}

interface Collected {
  readonly drafts: readonly FindingDraft[]
  readonly scanned: number
}

/** Findings of the rules about syntax. */
export const collectMatches = async (ports: CollectPorts, signal: AbortSignal): Promise<Collected> => {
  const { set, rules, scanner, progress } = ports
  const isCovered = coveredPaths(rules.rules)
  const paths = set.changes
    .filter(({ path, change }) => change !== 'deleted' && isCovered(path))
    .map(({ path }) => path)
  if (paths.length === 0) return { drafts: [], scanned: 0 }
  const collection = new Collection(ports)
  const reports = (await scanner()).scan(collection.contents(paths, signal), rules.rules, signal)
  let done = 0
  for await (const report of reports) {
    collection.accept(report)
    done += 1
    progress(done, paths.length)
  }
  return { drafts: collection.drafts, scanned: collection.scanned }
}

/** Findings of the rules about changed files. */
export const collectChanges = ({ changes }: RuleSet, set: ChangeSet): FindingDraft[] => {
  const paths = set.changes.map(({ path }) => path)
  return changes.flatMap((rule) =>
    rule.missing(paths).map((file) => ({
      ruleId: rule.id,
      severity: rule.severity,
      code: rule.code,
      message: rule.message,
      file,
      ...(rule.why !== undefined && { why: rule.why }),
      ...(rule.fix !== undefined && { fix: rule.fix }),
      matchedBy: 'FileChange',
      source: set.source,
      text: '',
    })),
  )
}

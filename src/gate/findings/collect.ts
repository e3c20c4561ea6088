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
import { SUPPRESSION_RULES, type Suppressions, suppress } from './suppress.ts'

/** A finding on its way into the report. */
export interface FindingDraft extends Unfingerprinted {
  readonly excerpt?: Excerpt
  /** Set when a comment speaks for it. */
  readonly suppressed?: string
}

/** What can be wrong with a file before any rule is asked. A file nobody could judge must not pass as clean. */
const FILE_PROBLEMS = {
  broken: {
    ruleId: 'gate.parse-error',
    severity: 'WARN',
    code: 'PARSE_ERROR',
    message: 'The file does not parse here; rules may have missed what is in it.',
    fix: 'Correct the syntax; where it is newer than the parser, accept it with `warrant gate baseline`.',
  },
  'given-up': {
    ruleId: 'gate.file-given-up',
    severity: 'ERROR',
    code: 'FILE_GIVEN_UP',
    message: 'The file was not judged to its end',
    fix: 'Split it, or accept it with `warrant gate baseline`.',
  },
  unread: {
    ruleId: 'gate.file-unread',
    severity: 'ERROR',
    code: 'FILE_UNREAD',
    message: 'The file is there and cannot be read.',
    fix: 'Give yourself the right to read it, or run `git fsck`.',
  },
} as const satisfies Record<string, Pick<FindingDraft, 'ruleId' | 'severity' | 'code' | 'message' | 'fix'>>

const GIVEN_UP: Readonly<Record<(ScanReport & { outcome: 'given-up' })['why'], string>> = {
  time: 'it took too long',
  size: 'it is too large',
  crash: 'the parser gave in',
  matches: 'it has more matches than anybody will read',
}

export interface CollectPorts {
  readonly set: ChangeSet
  readonly rules: RuleSet
  readonly scanner: () => Promise<Scanner>
  readonly stage: GateStage
  readonly progress: (done: number, total: number) => void
}

/** What a file says, and what a report may show of it. */
interface FileLines {
  readonly lines: readonly string[]
  readonly shown: readonly string[]
}

/** One scan under way: its files pass by on their way to the scanner, so that what matched can be shown. */
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
        this.#trouble(reading.path, FILE_PROBLEMS.unread)
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
    const { kept, suppressed, notices } = this.#heed(report)
    const lines = bytes === undefined ? [] : splitSourceLines(bytes)
    // A report goes into logs and to services that many can read.
    const secrets = report.matches.filter(({ ruleId }) => this.#ports.rules.byId.get(ruleId)?.secret)
    const shown = redactSecrets(lines, secrets)
    for (const match of kept) this.#match(path, match, { lines, shown })
    for (const { match, by } of suppressed) this.#match(path, match, { lines, shown }, by.reason)
    for (const match of notices) this.#notice(path, match, shown)
    if (report.outcome === 'broken') {
      const { line, column } = report
      const region = { line, column, endLine: line, endColumn: column + 1 }
      this.#trouble(path, FILE_PROBLEMS.broken, { region, excerpt: excerptOf(shown, region) })
    }
    if (report.outcome === 'given-up') {
      const { message } = FILE_PROBLEMS['given-up']
      this.#trouble(path, { ...FILE_PROBLEMS['given-up'], message: `${message}: ${GIVEN_UP[report.why]}.` })
    }
  }

  /** What the comments of the file say about its matches. Most files have nothing to heed. */
  #heed(report: ScanReport & { readonly outcome: Exclude<ScanReport['outcome'], 'skipped'> }): Suppressions {
    if (report.comments.length === 0) return { kept: report.matches, suppressed: [], notices: [] }
    const extension = extensionOf(report.path)
    const looked = this.#ports.rules.rules.filter(
      ({ language, covers }) => grammarFor(language, extension) !== undefined && covers(report.path),
    )
    const active = new Set(looked.map(({ id }) => id))
    return suppress(report, { active, equivalent: (one, other) => familyOf(one) === familyOf(other) })
  }

  #notice(file: string, { ruleId, line, column, endLine, endColumn }: Match, lines: readonly string[]): void {
    const rule = Object.entries(SUPPRESSION_RULES).find(([id]) => id === ruleId)?.[1]
    if (rule === undefined) return
    const region = { line, column, endLine, endColumn }
    this.#trouble(file, { ruleId, ...rule }, { region, excerpt: excerptOf(lines, region) })
  }

  #match(path: string, match: Match, { lines, shown }: FileLines, suppressed?: string): void {
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
      excerpt: excerptOf(shown, region),
      ...(suppressed !== undefined && { suppressed }),
    })
  }

  #trouble(
    file: string,
    what: { ruleId: string; severity: Severity; code: string; message: string; fix: string },
    where: Pick<FindingDraft, 'region' | 'excerpt'> = {},
  ): void {
    this.drafts.push({
      ...what,
      file,
      ...where,
      matchedBy: 'FileContent',
      source: this.#ports.set.source,
      text: '',
    })
  }
}

/** Whether any rule would look at the file: the others need not even be read. */
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

export interface Collected {
  readonly drafts: readonly FindingDraft[]
  readonly scanned: number
}

/** Everything the rules of syntax object to. */
export const collectMatches = async (ports: CollectPorts, signal: AbortSignal): Promise<Collected> => {
  const { set, rules, scanner, progress } = ports
  const wanted = coveredPaths(rules.rules)
  const paths = set.changes
    .filter(({ path, change }) => change !== 'deleted' && wanted(path))
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

/** Everything the rules about changes object to. */
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

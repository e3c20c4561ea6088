import { familyOf } from '../../evidence/consolidate.ts'
import type { GateStage } from '../../evidence/stage.ts'
import { EVIDENCE_FILE } from '../../evidence/store.ts'
import { digestBytes } from '../../kernel/encoding/hash.ts'
import { optional } from '../../kernel/optional.ts'
import { extensionOf } from '../../kernel/text/languages.ts'
import { UnparsedFiles } from '../../kernel/text/unparsed-files.ts'
import { type FileKinds, isBinary } from '../facts/file-kinds.ts'
import type { ChangeSet, FileContent, FileReading, Match, Scanner, ScanReport } from '../ports.ts'
import type { ReportedFiles } from '../reports/report.ts'
import type { RuleSet } from '../rules/assemble-rules.ts'
import { ruleCode } from '../rules/compile.ts'
import { readsExtension } from '../rules/languages.ts'
import { type CoveredPaths, coveredPaths } from '../rules/paths-by-rule.ts'
import { areAliases } from '../rules/profile.ts'
import { byteProblems, otherReadings } from './bytes.ts'
import { describeRule, type FindingDraft, mergeAliases, weighMatch } from './drafts.ts'
import {
  FILE_PROBLEMS,
  type FileProblem,
  folderProblems,
  givenUpProblem,
  grammarProblems,
  isDoubt,
  linkProblem,
  type PathProblem,
  syntaxProblem,
} from './file-problems.ts'
import { FileTally, fileContents } from './file-tally.ts'
import {
  excerptOf,
  keepReported,
  redactSecrets,
  regionText,
  secretRegions,
  secretText,
  splitSourceLines,
  traceSecret,
} from './secret-matches.ts'
import {
  parseSuppressions,
  SUPPRESSION_RULES,
  type Suppression,
  type Suppressions,
  suppress,
} from './suppress.ts'

export interface FileSuppression {
  readonly file: string
  readonly suppression: Suppression
}

interface CollectPorts {
  readonly set: Pick<ChangeSet, 'source' | 'read' | 'readLinks'>
  readonly rules: RuleSet
  readonly stage: GateStage
  readonly kinds: FileKinds
}

/** The lines of a file, and the same lines with secrets redacted, for reports. */
interface FileLines {
  readonly lines: readonly string[]
  readonly redacted: readonly string[]
}

/** Collects the findings of one scan. It keeps the bytes of files in flight for excerpts. */
class Collection {
  drafts: FindingDraft[] = []
  readonly suppressions: FileSuppression[] = []
  readonly tally = new FileTally()
  readonly unparsed = new UnparsedFiles()
  readonly files: ReturnType<typeof fileContents>
  /** Texts that rules are about and that are too large to be read. */
  readonly unread: string[] = []
  readonly #ports: CollectPorts
  /** What is being scanned, in the order of the reports. `isOther`: another reading of the file before it. */
  readonly #scanned: { readonly bytes: Uint8Array; readonly isOther: boolean }[] = []
  readonly #links = new Set<string>()
  readonly #covered: CoveredPaths

  constructor(ports: CollectPorts, covered: CoveredPaths) {
    this.#ports = ports
    this.#covered = covered
    this.files = fileContents(ports.set, ports.kinds)
  }

  async *contents(
    paths: readonly string[],
    links: readonly string[],
    signal: AbortSignal,
  ): AsyncGenerator<FileContent> {
    const { set } = this.#ports
    if (paths.length > 0)
      for await (const file of this.#keep(this.files.read(paths, signal))) {
        if (isBinary(file.path, file.bytes) && !this.#covered.byKind(file.path)) {
          this.tally.add({ path: file.path, outcome: 'skipped', why: 'binary' }, this.#reachOf(file.path))
          continue
        }
        for (const [problem, place] of byteProblems(file)) this.#addProblem(file.path, problem, place)
        yield this.#expect(file, false)
        for (const other of otherReadings(file)) yield this.#expect(other, true)
      }
    if (links.length === 0 || set.readLinks === undefined) return
    for await (const link of this.#keep(set.readLinks(links, signal))) {
      this.#links.add(link.path)
      const problem = linkProblem(link, this.#covered.bySyntax)
      if (problem !== undefined) this.#addProblem(link.path, problem, { identity: digestBytes(link.bytes) })
      yield this.#expect(link, false)
    }
  }

  #expect(file: FileContent, isOther: boolean): FileContent {
    this.#scanned.push({ bytes: file.bytes, isOther })
    return file
  }

  async *#keep(readings: AsyncIterable<FileReading>): AsyncGenerator<FileContent> {
    for await (const reading of readings)
      if (reading.bytes === undefined) this.#addProblem(reading.path, FILE_PROBLEMS.unread)
      else yield reading
  }

  addProblems(problems: readonly PathProblem[]): void {
    for (const { file, problem } of problems) this.#addProblem(file, problem)
  }

  accept(scanned: ScanReport): void {
    const { path } = scanned
    const { bytes, isOther = false } = this.#scanned.shift() ?? {}
    const isLink = this.#links.has(path)
    if (!isLink && !isOther && path !== EVIDENCE_FILE) this.tally.add(scanned, this.#reachOf(path))
    if (scanned.outcome === 'skipped') {
      // As git tells texts from others.
      if (scanned.why === 'size' && bytes?.subarray(0, 8_000).includes(0) === false) this.unread.push(path)
      return
    }
    if (scanned.outcome === 'unparsed' && !isLink && !isOther) this.unparsed.add(path, scanned.missing)
    // Most files: nothing was found, so their lines are not looked at.
    if (scanned.outcome === 'scanned' && scanned.matches.length + scanned.comments.length === 0) return
    const { byId } = this.#ports.rules
    const report = { ...scanned, matches: keepReported(scanned.matches, byId) }
    const lines = bytes === undefined ? [] : splitSourceLines(bytes, path)
    // Reports end up in logs and CI services, so secrets are redacted.
    const secrets = scanned.matches.flatMap((match) => secretRegions(match, byId))
    const redacted = redactSecrets(lines, secrets)
    if (report.outcome === 'given-up' && !(isOther && isDoubt(report.why))) {
      const problem = givenUpProblem(report.why, this.#covered.bySyntax(path))
      this.#addProblem(path, problem, optional({ identity: bytes && digestBytes(bytes) }))
    }
    if (isOther) return this.#addUnseen(path, report.matches, { lines, redacted })
    for (const suppression of parseSuppressions(report.comments))
      this.suppressions.push({ file: path, suppression })
    const { kept, suppressed, notices } = this.#applySuppressions(report)
    for (const match of kept) this.#addMatch(path, match, { lines, redacted })
    for (const { match, by } of suppressed) this.#addMatch(path, match, { lines, redacted }, by.reason)
    for (const match of notices) this.#addNotice(path, match, { lines, redacted })
    // A path is no program, so it need not parse.
    if (report.outcome === 'broken' && !isLink) {
      const { line, column, gap } = report
      const region = { line, column, endLine: line, endColumn: column + 1 }
      const place = { region, excerpt: excerptOf(redacted, region), identity: lines[line - 1] ?? '' }
      this.#addProblem(path, syntaxProblem(path, gap), place)
    }
  }

  /** What another reading shows and the first one did not. */
  #addUnseen(path: string, matches: readonly Match[], lines: FileLines): void {
    const keyOf = ({ ruleId, identity }: FindingDraft) => JSON.stringify([ruleId, identity])
    const seen = new Set(this.drafts.filter(({ file }) => file === path).map(keyOf))
    const count = this.drafts.length
    for (const match of matches) this.#addMatch(path, match, lines)
    const unseen = this.drafts.splice(count).filter((draft) => !seen.has(keyOf(draft)))
    // The excerpts around show the first reading, in which such a secret was not redacted.
    const shown = ({ excerpt: _, ...rest }: FindingDraft) => rest
    if (unseen.some(({ secret }) => secret))
      this.drafts = this.drafts.map((draft) => (draft.file === path ? shown(draft) : draft))
    this.drafts.push(...unseen)
  }

  #reachOf(path: string): 'kind' | 'text' | 'exempt' {
    if (this.files.kinds.has(path)) return 'exempt'
    return this.#covered.byKind(path) ? 'kind' : 'text'
  }

  /** Splits the matches by the suppression comments of the file. */
  #applySuppressions(
    report: ScanReport & { readonly outcome: Exclude<ScanReport['outcome'], 'skipped'> },
  ): Suppressions {
    if (report.comments.length === 0) return { kept: report.matches, suppressed: [], notices: [] }
    const extension = extensionOf(report.path)
    const { rules, byId } = this.#ports.rules
    const ran = report.outcome === 'unparsed' ? rules.filter(({ text }) => text !== undefined) : rules
    const applied = ran.filter((one) => readsExtension(one.language, extension) && one.covers(report.path))
    const active = new Set(applied.map(({ id }) => id))
    const accepts = (id: string) => byId.get(id)?.secret !== true && byId.get(id)?.category !== 'secrets'
    const isSame = (one: string, other: string) =>
      familyOf(one) === familyOf(other) || areAliases(byId, one, other)
    return suppress(report, { active, accepts, isSame })
  }

  #addNotice(file: string, match: Match, { lines, redacted }: FileLines): void {
    const { ruleId, line, column, endLine, endColumn } = match
    const rule = Object.entries(SUPPRESSION_RULES).find(([id]) => id === ruleId)?.[1]
    if (rule === undefined) return
    const region = { line, column, endLine, endColumn }
    const place = { region, excerpt: excerptOf(redacted, region), identity: lines[line - 1] ?? '' }
    this.#addProblem(file, { ruleId, ...rule }, place)
  }

  #addMatch(path: string, match: Match, { lines, redacted }: FileLines, suppressed?: string): void {
    const rule = this.#ports.rules.byId.get(match.ruleId)
    if (rule === undefined) return
    const { set, stage } = this.#ports
    const { line, column, endLine, endColumn, within } = match
    const region = { line, column, endLine, endColumn }
    const shown = rule.secret ? redactSecrets(redacted, [{ ...region, continues: false }]) : redacted
    this.drafts.push({
      ...describeRule(rule),
      ...weighMatch(rule, match.message, path, stage),
      file: path,
      region,
      source: set.source,
      text: rule.secret ? traceSecret(lines, redacted, region) : regionText(lines, region),
      identity: rule.secret ? secretText(lines, region, rule) : regionText(lines, region),
      excerpt: excerptOf(shown, region),
      ...optional({ within, suppressed }),
    })
  }

  #addProblem(
    file: string,
    problem: FileProblem,
    place: Pick<FindingDraft, 'region' | 'excerpt' | 'identity'> = {},
  ): void {
    const { source } = this.#ports.set
    const { identity: text = '' } = place
    const code = ruleCode(problem.ruleId.replace(/^\w+\./, ''))
    this.drafts.push({ ...problem, code, file, ...place, matchedBy: 'FileContent', source, text })
  }
}

interface Collected {
  readonly drafts: readonly FindingDraft[]
  /** The valid suppression comments of the scanned files. */
  readonly suppressions: readonly FileSuppression[]
  readonly files: ReportedFiles
  readonly unread: readonly string[]
  readonly notes: readonly string[]
}

interface ChangedFiles extends CollectPorts {
  readonly set: ChangeSet
  readonly scanner: () => Promise<Scanner>
  /** Whether git tracks a file below the `node_modules` of the root. */
  readonly tracksModules: boolean
  readonly progress: (done: number, total: number) => void
}

/** Findings of all rules about file contents, and of files that could not be read or parsed. */
export const collectMatches = async (ports: ChangedFiles, signal: AbortSignal): Promise<Collected> => {
  const { set, rules, scanner, progress } = ports
  const covered = coveredPaths(rules.rules)
  // The gate writes the evidence file itself: it is searched for secrets, and not counted.
  const changed = set.changes.filter(({ path }) => path !== EVIDENCE_FILE)
  const all = set.changes.filter(({ change }) => change !== 'deleted').map(({ path }) => path)
  const present = all.filter((path) => path !== EVIDENCE_FILE)
  const paths = all.filter(covered.byAny)
  const links = (set.links ?? []).filter(covered.bySyntax)
  const collection = new Collection(ports, covered)
  collection.addProblems(folderProblems(set, ports.tracksModules))
  if (paths.length + links.length > 0) {
    const contents = collection.contents(paths, links, signal)
    const total = paths.length + links.length
    let done = 0
    for await (const report of (await scanner()).scan(contents, rules.rules, signal)) {
      collection.accept(report)
      done = Math.min(done + 1, total)
      progress(done, total)
    }
  }
  collection.addProblems(grammarProblems(collection.unparsed))
  const { suppressions, files, tally, unread } = collection
  const unmatched = present.filter((path) => !covered.byKind(path) && !files.kinds.has(path)).length
  return {
    drafts: mergeAliases(collection.drafts),
    suppressions,
    files: tally.count(files, changed.length, unmatched),
    unread,
    notes: tally.notes(files, set),
  }
}

type BeforePorts = Pick<ChangedFiles, 'set' | 'rules' | 'stage' | 'kinds' | 'scanner'>

/**
 * What one version of the base has: findings and suppression comments of the files at these present paths, judged
 * under their old paths and told under the present ones.
 */
export const collectBefore = async (
  ports: BeforePorts,
  readings: AsyncIterable<FileReading>,
  signal: AbortSignal,
): Promise<Pick<Collected, 'drafts' | 'suppressions'>> => {
  const { rules, scanner, set } = ports
  const oldPaths = new Map(set.changes.map(({ path, from = path }) => [path, from]))
  const presentPaths = new Map([...oldPaths].map(([path, from]) => [from, path]))
  const read = async function* (): AsyncGenerator<FileReading> {
    for await (const reading of readings)
      yield { ...reading, path: oldPaths.get(reading.path) ?? reading.path }
  }
  // Judged as a whole repository is: there is nothing before the base. What a file says of itself does not count.
  const old = { source: 'git:repository', read }
  const kinds = { ...ports.kinds, byContent: () => false }
  const collection = new Collection({ ...ports, set: old, kinds }, coveredPaths(rules.rules))
  const files = collection.contents([...presentPaths.keys()], [], signal)
  for await (const report of (await scanner()).scan(files, rules.rules, signal)) collection.accept(report)
  const atPresent = <T extends { readonly file: string }>(one: T): T => ({
    ...one,
    file: presentPaths.get(one.file) ?? one.file,
  })
  return {
    drafts: mergeAliases(collection.drafts).map(atPresent),
    suppressions: collection.suppressions.map(atPresent),
  }
}

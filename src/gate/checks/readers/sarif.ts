import nodePath from 'node:path'
import { isRecord } from '../../../kernel/encoding/json.ts'
import { isPathInside } from '../../../kernel/text/path-inside.ts'
import { type JsonRecord, listAt, member, objectAt, textAt } from './json-members.ts'
import {
  type CheckOutput,
  type CheckReader,
  type CheckResult,
  CheckUnreadable,
  type ReaderInput,
} from './reader.ts'
import { ResultCollector } from './result-collector.ts'
import { describeOutside, fileOf, pathOfUri, placePath, type ResultFile, readRegion } from './result-place.ts'
import { cleanRule, cleanText, MAX_MESSAGE } from './result-text.ts'
import { readHelp, readLevel, readMessage, SarifRules } from './sarif-rules.ts'
import { type JsonList, splitJson } from './split-json.ts'

/** The folders that artifact locations start from, by their `uriBaseId`. */
class UriBases {
  readonly #bases: JsonRecord | undefined
  readonly #input: ReaderInput

  constructor(run: unknown, input: ReaderInput) {
    this.#bases = objectAt(run, 'originalUriBaseIds')
    this.#input = input
  }

  /** Absolute. A base that names the root of the sources is the folder of the tool when it was made on another machine. */
  folder(id: string | undefined, depth = 0): string | undefined {
    const { folder, root } = this.#input
    const base = id === undefined || depth > 8 ? undefined : objectAt(this.#bases, id)
    const uri = textAt(base, 'uri')
    if (id === undefined || uri === undefined) return folder
    const path = pathOfUri(uri)
    const outer = this.folder(textAt(base, 'uriBaseId'), depth + 1)
    const found = path === undefined || outer === undefined ? undefined : nodePath.resolve(outer, path)
    const isOurs = found !== undefined && isPathInside(root, found)
    return isOurs
      ? found
      : /^%?(?:src|source|root|repo|project)_?(?:root|path)%?$/i.test(id)
        ? folder
        : undefined
  }
}

const placeArtifact = (location: unknown, run: unknown, bases: UriBases, input: ReaderInput): ResultFile => {
  const index = member(location, 'index')
  const artifact = typeof index === 'number' ? listAt(run, 'artifacts')[index] : undefined
  const named = textAt(location, 'uri') === undefined ? objectAt(artifact, 'location') : location
  const uri = textAt(named, 'uri')
  if (uri === undefined) return undefined
  const path = pathOfUri(uri)
  const base = bases.folder(textAt(named, 'uriBaseId'))
  return path === undefined || base === undefined ? { outside: uri } : placePath(path, input, base)
}

/** `pass` and `notApplicable` are no problems; `absent` is a problem that is gone. */
const isProblem = (result: JsonRecord): boolean =>
  !['pass', 'notApplicable'].includes(textAt(result, 'kind') ?? 'fail') &&
  textAt(result, 'baselineState') !== 'absent'

/** A suppression that is under review or rejected does not count. */
const isSuppressed = (result: JsonRecord): boolean => {
  const suppressions = listAt(result, 'suppressions')
  return (
    suppressions.length > 0 &&
    suppressions.every((one) => (textAt(one, 'status') ?? 'accepted') === 'accepted')
  )
}

/** Throws when the tool itself says that it did not finish. */
const requireSuccess = (run: unknown): void => {
  for (const invocation of listAt(run, 'invocations')) {
    if (member(invocation, 'executionSuccessful') !== false) continue
    const notes = ['toolExecutionNotifications', 'toolConfigurationNotifications'].flatMap((name) =>
      listAt(invocation, name),
    )
    const said = notes
      .map((note) => readMessage(member(note, 'message'), undefined))
      .find((text) => text !== undefined)
    throw new CheckUnreadable(
      `the tool says that it did not finish (executionSuccessful is false)${said === undefined ? '' : `: ${cleanText(said, 300)}`}`,
    )
  }
}

/** Parts of a run that may be in another file, because no result and no level depends on them. */
const DESCRIPTIVE_PARTS = new Set(['taxonomies', 'translations'])

/** Throws when a run has no list of results: by the standard, such a run did not start. */
const requireList = (run: unknown, hasList: boolean, exitCode: number | undefined): void => {
  const elsewhere = Object.keys(objectAt(run, 'externalPropertyFileReferences') ?? {})
  if (elsewhere.some((part) => !DESCRIPTIVE_PARTS.has(part)))
    throw new CheckUnreadable('a run keeps its results in another file (externalPropertyFileReferences)')
  const succeeded = exitCode === 0 || listAt(run, 'invocations').length > 0
  if (!hasList && !succeeded) throw new CheckUnreadable('a run has no list of results')
}

class RunReader {
  readonly #run: unknown
  readonly #input: ReaderInput
  readonly #rules: SarifRules
  readonly #bases: UriBases

  constructor(run: unknown, input: ReaderInput) {
    this.#run = run
    this.#input = input
    this.#rules = new SarifRules(run)
    this.#bases = new UriBases(run, input)
  }

  add(result: JsonRecord, collector: ResultCollector): void {
    const { id, rule } = this.#rules.find(result)
    const level = readLevel(result, rule)
    collector.add(level, () => this.#read(result, { id, rule, level }))
  }

  #read(
    result: JsonRecord,
    { id, rule, level }: { id: string | undefined; rule: JsonRecord | undefined; level: string },
  ): CheckResult {
    const text = readMessage(member(result, 'message'), rule)
    const message = cleanText(text ?? '', MAX_MESSAGE) || 'The tool gives no message.'
    const location = objectAt(listAt(result, 'locations')[0], 'physicalLocation')
    const place = placeArtifact(objectAt(location, 'artifactLocation'), this.#run, this.#bases, this.#input)
    const region = objectAt(location, 'region')
    const help = readHelp(rule, message)
    return {
      rule: cleanRule(id ?? '', 'no-rule'),
      level,
      message: describeOutside(message, place),
      ...fileOf(place),
      ...(place !== undefined &&
        'file' in place &&
        readRegion(region?.startLine, region?.startColumn, region?.endLine, region?.endColumn)),
      ...(help !== undefined && { help }),
    }
  }
}

const readTool = (runs: readonly unknown[]): Pick<CheckOutput, 'tool'> => {
  const drivers = runs.map((run) => objectAt(objectAt(run, 'tool'), 'driver'))
  const names = [...new Set(drivers.map((driver) => cleanText(textAt(driver, 'name') ?? '', 100)))].filter(
    Boolean,
  )
  if (names.length === 0) return {}
  const given = textAt(drivers[0], 'semanticVersion') ?? textAt(drivers[0], 'version')
  const version = names.length > 1 || given === undefined ? '' : cleanText(given, 100)
  return { tool: { name: cleanText(names.join(', '), 200), ...(version !== '' && { version }) } }
}

/** The runs of a log, after the checks that concern the whole of it. */
const readRuns = (log: unknown): readonly unknown[] => {
  if (!isRecord(log)) throw new CheckUnreadable('the output is not SARIF: it is no JSON object')
  const version = textAt(log, 'version')
  if (version !== undefined && !/^2\.1\.\d/.test(version))
    throw new CheckUnreadable(`the output is SARIF ${cleanText(version, 20)}, and only 2.1.0 is read`)
  const runs = listAt(log, 'runs')
  if (runs.length === 0) throw new CheckUnreadable('the output is not SARIF, or it has no run')
  return runs
}

/** SARIF 2.1.0, one result at a time. */
export const readSarif: CheckReader = (input) => {
  const { rest, lists } = splitJson(input.bytes, ['runs', '*', 'results'])
  const runs = readRuns(rest)
  const collector = new ResultCollector(input.limits)
  let suppressed = 0
  for (const [at, run] of runs.entries()) {
    requireSuccess(run)
    const found: readonly Pick<JsonList, 'elements'>[] = lists.filter(({ path }) => path[1] === at)
    requireList(run, Array.isArray(member(run, 'results')), input.exitCode)
    const reader = new RunReader(run, input)
    // A key with escapes (`"res\u0075lts"`) is no list of its own; its results are in the rest.
    for (const { elements } of [...found, { elements: listAt(run, 'results') }])
      for (const result of elements) {
        if (!isRecord(result)) throw new CheckUnreadable('a result is no JSON object')
        if (!isProblem(result)) continue
        if (isSuppressed(result)) suppressed += 1
        else reader.add(result, collector)
      }
  }
  return { ...readTool(runs), ...collector.finish(), ...(suppressed > 0 && { suppressed }) }
}

import nodePath from 'node:path'
import { isRecord } from '../../../kernel/encoding/json.ts'
import { isPathInside } from '../../../kernel/text/path-inside.ts'
import {
  type CheckOutput,
  type CheckReader,
  type CheckResult,
  CheckUnreadable,
  type ReaderInput,
} from './reader.ts'
import {
  cleanRule,
  cleanText,
  MAX_HELP,
  MAX_MESSAGE,
  pathOfUri,
  placePath,
  ResultCollector,
  type ResultFile,
  resultOf,
} from './results.ts'
import { type JsonList, type JsonRecord, listAt, member, objectAt, splitJson, textAt } from './split-json.ts'

const indexAt = (value: unknown, name: string): number | undefined => {
  const found = member(value, name)
  return typeof found === 'number' && Number.isInteger(found) && found >= 0 ? found : undefined
}

/** The rules of a run: those of the driver, and those of its extensions. */
class SarifRules {
  readonly #components: readonly (readonly unknown[])[]
  readonly #byId = new Map<string, JsonRecord>()

  constructor(run: unknown) {
    const tool = objectAt(run, 'tool')
    this.#components = [member(tool, 'driver'), ...listAt(tool, 'extensions')].map((one) =>
      listAt(one, 'rules'),
    )
    for (const rule of this.#components.flat()) {
      const id = textAt(rule, 'id')
      if (isRecord(rule) && id !== undefined && !this.#byId.has(id)) this.#byId.set(id, rule)
    }
  }

  /** The rule of a result: by its index, or by its id. `CA1000/1` is a part of the rule `CA1000`. */
  find(result: JsonRecord): { readonly id: string | undefined; readonly rule: JsonRecord | undefined } {
    const reference = objectAt(result, 'rule')
    const id = textAt(result, 'ruleId') ?? textAt(reference, 'id')
    const extension = indexAt(objectAt(reference, 'toolComponent'), 'index')
    const rules = this.#components[extension === undefined ? 0 : extension + 1]
    const indexed = rules?.[indexAt(result, 'ruleIndex') ?? indexAt(reference, 'index') ?? -1]
    const rule = isRecord(indexed) ? indexed : this.#named(id)
    return { id: id ?? textAt(rule, 'id'), rule }
  }

  #named(id: string | undefined): JsonRecord | undefined {
    if (id === undefined) return undefined
    return this.#byId.get(id) ?? this.#byId.get(id.slice(0, Math.max(0, id.lastIndexOf('/'))))
  }
}

const SECURITY_LEVELS: readonly (readonly [from: number, level: string])[] = [
  [9, 'critical'],
  [7, 'high'],
  [4, 'medium'],
  [0.1, 'low'],
]

/** A rule about security has a number from 0 to 10 that says more than the level. */
const securityLevel = (rule: JsonRecord | undefined): string | undefined => {
  const given = member(objectAt(rule, 'properties'), 'security-severity')
  const score = typeof given === 'string' ? Number.parseFloat(given) : given
  if (typeof score !== 'number' || !(score <= 10)) return undefined
  return SECURITY_LEVELS.find(([from]) => score >= from)?.[1]
}

const LEVELS: readonly unknown[] = ['error', 'warning', 'note', 'none']

/** The level of a result: of its own or of its rule; a result that is no failure is a note. */
const readLevel = (result: JsonRecord, rule: JsonRecord | undefined): string => {
  const kind = textAt(result, 'kind') ?? 'fail'
  if (kind !== 'fail') return 'note'
  const given = [member(result, 'level'), member(objectAt(rule, 'defaultConfiguration'), 'level')]
  const level = given.find((one): one is string => LEVELS.includes(one)) ?? 'warning'
  return level === 'none' ? 'none' : (securityLevel(rule) ?? level)
}

/** A tool writes `[text](1)` for a place that it lists elsewhere in the result. */
const withoutLinks = (text: string): string => text.replace(/\[([^\][]{0,500})\]\(\d{1,6}\)/g, '$1')

const MAX_TEXT = 8_192

/** The text of a message: its own, or the text of the rule that it names, with its arguments put in. */
const readMessage = (message: unknown, rule: JsonRecord | undefined): string | undefined => {
  const named = objectAt(objectAt(rule, 'messageStrings'), textAt(message, 'id') ?? '')
  const text = textAt(message, 'text') ?? textAt(named, 'text') ?? textAt(message, 'markdown')
  if (text === undefined) return undefined
  const args = listAt(message, 'arguments')
  const filled = text.slice(0, MAX_TEXT).replace(/\{(\d{1,2})\}/g, (whole, index: string) => {
    const argument = args[Number(index)]
    return typeof argument === 'string' ? argument.slice(0, MAX_TEXT) : whole
  })
  return withoutLinks(filled)
}

/** What the rule says besides the message, and where to read about it. */
const readHelp = (rule: JsonRecord | undefined, message: string): string | undefined => {
  const texts = ['shortDescription', 'fullDescription'].map((name) => textAt(objectAt(rule, name), 'text'))
  const said = texts
    .map((text) => cleanText(text ?? '', MAX_HELP))
    .find((text) => text !== '' && text !== message)
  const uri = textAt(rule, 'helpUri')
  const link = uri !== undefined && /^https?:\/\/\S+$/.test(uri) ? uri : undefined
  return cleanText([said, link].filter((part) => part !== undefined).join(' '), MAX_HELP) || undefined
}

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
    return resultOf({
      rule: cleanRule(id ?? '', 'no-rule'),
      level,
      message,
      place,
      region: [region?.startLine, region?.startColumn, region?.endLine, region?.endColumn],
      help,
    })
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

import type { Element, XmlVisitor } from '../../../kernel/text/xml.ts'
import { type CheckReader, type CheckResult, CheckUnreadable, type ReaderInput } from './reader.ts'
import {
  attributeOf,
  cleanText,
  fileOf,
  MAX_HELP,
  MAX_MESSAGE,
  pathOfUri,
  placePath,
  ResultCollector,
  type ResultFile,
  removeTerminalSequences,
  resultOf,
  walkReport,
} from './results.ts'

type Attributes = Element['attributes']

interface Problem {
  readonly kind: 'failure' | 'error'
  readonly message: string | undefined
  text: string
}

const MAX_TEXT = 16_384
const isPath = (text: string): boolean =>
  /[\\/].*\.(?!v\d)[A-Za-z]\w{0,7}$|^[\w-]+(?:\.[\w-]+)*\.(?:[cm]?[jt]sx?|py|rb|php|go)$/.test(text)

interface TestPlace {
  readonly place: ResultFile
  readonly line?: string | undefined
  readonly column?: string | undefined
}

const placeTest = (path: string, input: ReaderInput): ResultFile => {
  const resolved = path.startsWith('file:') ? pathOfUri(path) : path
  return resolved === undefined ? { outside: path } : placePath(resolved, input)
}

/** `(test/a.test.js:1:62)`, ` ❯ test/a.test.ts:2:58`, `tests/test_a.py:5: AssertionError` */
const FRAMES = /(?<=^|[\s(])((?:file:\/\/)?[^\s():]{1,1024}\.\w{1,8}):(\d{1,9})(?::(\d{1,9})|(?=: ))/gm

/** A line of a stack trace: the place of the result says it better. */
const isFrame = (line: string): boolean => /^\s*(?:at\s|❯)/.test(line)

/**
 * Where a test failed: the first place in its text that is in the file of the test. Without a known file, the first
 * place in the repository; pytest names it last.
 */
const findPlace = (text: string, known: string | undefined, input: ReaderInput): TestPlace => {
  const given = known === undefined ? undefined : placeTest(known, input)
  const frames = [...removeTerminalSequences(text).matchAll(FRAMES)]
    .map(([, path = '', line, column]) => ({ path, place: placeTest(path, input), line, column }))
    .filter((frame) => !(fileOf(frame.place) ?? 'node_modules/').includes('node_modules/'))
  // Go prints the name of a file without its folder.
  const withFolder = frames.find(({ path }) => /[\\/]/.test(path))
  const file = fileOf(given)
  if (given !== undefined) return frames.find((frame) => fileOf(frame.place) === file) ?? { place: given }
  const python = frames.filter((frame) => fileOf(frame.place)?.endsWith('.py')).at(-1)
  return python ?? withFolder ?? { place: undefined }
}

/** Suites and cases of a report, as they are opened and closed. Suites may be nested. */
class ReportVisitor implements XmlVisitor {
  readonly collector: ResultCollector
  readonly #input: ReaderInput
  readonly #suites: Attributes[] = []
  #case: Attributes | undefined
  #problem: Problem | undefined
  #depth = 0
  cases = 0
  /** The failures and errors that the attributes of the suites count. */
  declared = 0

  constructor(input: ReaderInput) {
    this.#input = input
    this.collector = new ResultCollector(input.limits)
  }

  open(name: string, attributes: Attributes): void {
    this.#depth += 1
    if (this.#depth === 1 && name !== 'testsuites' && name !== 'testsuite')
      throw new CheckUnreadable(`the output is not JUnit XML: its root is <${cleanText(name, 40)}>`)
    if (name === 'testsuite' || name === 'testsuites') {
      this.#suites.push(attributes)
      const count = (key: string) => Number.parseInt(attributeOf(attributes, key) ?? '0', 10) || 0
      this.declared = Math.max(this.declared, count('failures') + count('errors'))
    } else if (name === 'testcase') {
      this.#case = attributes
      this.cases += 1
    } else if ((name === 'failure' || name === 'error') && this.#problem === undefined) {
      this.#problem = { kind: name, message: attributeOf(attributes, 'message'), text: '' }
    }
  }

  text(text: string): void {
    if (this.#problem !== undefined && this.#problem.text.length < MAX_TEXT)
      this.#problem.text += text.slice(0, MAX_TEXT)
  }

  close(name: string): void {
    this.#depth -= 1
    if (name === 'testsuite' || name === 'testsuites') this.#suites.pop()
    else if (name === 'testcase') this.#case = undefined
    else if (name === this.#problem?.kind) {
      const problem = this.#problem
      this.collector.add(problem.kind, () => this.#readResult(problem))
      this.#problem = undefined
    }
  }

  /** The file of the test: its attribute, that of its suite, or a class name or suite name that is a path. */
  #path(): string | undefined {
    const own = [this.#case, ...this.#suites.toReversed()].filter((one) => one !== undefined)
    const file = own.map((one) => attributeOf(one, 'file') ?? attributeOf(one, 'filepath')).find(Boolean)
    if (file !== undefined) return file
    const names = [attributeOf(this.#case ?? [], 'classname'), attributeOf(this.#suites.at(-1) ?? [], 'name')]
    return names.find((name) => name !== undefined && isPath(name))
  }

  #title(path: string | undefined): string {
    const suite = attributeOf(this.#case ?? [], 'classname') ?? attributeOf(this.#suites.at(-1) ?? [], 'name')
    const name = attributeOf(this.#case ?? [], 'name')
    const parts = [suite === path || name?.startsWith(suite ?? '') ? undefined : suite, name]
    return parts.filter((part) => part !== undefined).join(' › ')
  }

  #readResult({ kind, message, text }: Problem): CheckResult {
    const given = this.#path()
    const { place, line, column } = findPlace(text, given, this.#input)
    const lines = text.split('\n').filter((one) => one.trim() !== '' && !isFrame(one))
    const said = cleanText(message ?? lines[0] ?? '', MAX_MESSAGE)
    const full = cleanText([this.#title(given), said].filter((part) => part !== '').join(': '), MAX_MESSAGE)
    const help = cleanText(lines.slice(message === undefined ? 1 : 0).join('\n'), MAX_HELP)
    return resultOf({
      rule: `test-${kind}`,
      level: kind,
      message: full || 'A test failed without a message.',
      place,
      region: line === undefined ? this.#regionOfCase() : [line, column],
      help: said === '' || !help.endsWith(said) ? help : undefined,
    })
  }

  #regionOfCase(): readonly unknown[] {
    const attributes = this.#case ?? []
    const line = attributeOf(attributes, 'line') ?? attributeOf(attributes, 'lineno')
    return [line, attributeOf(attributes, 'column')]
  }
}

/** JUnit XML in the dialects of vitest, jest, mocha, pytest, Surefire, Gradle and gotestsum. */
export const readJunit: CheckReader = (input) => {
  const visitor = new ReportVisitor(input)
  walkReport(input.bytes, visitor)
  const { collector, cases, declared } = visitor
  if (declared > 0 && collector.count === 0)
    throw new CheckUnreadable(`the report counts ${declared} failures and describes none of them`)
  if (cases === 0 && collector.count === 0)
    collector.add('warning', () => ({
      rule: 'no-tests',
      level: 'warning',
      message: 'The report has no test: nothing was tested.',
    }))
  return collector.finish()
}

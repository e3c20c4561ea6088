import { decodeLenient } from '../../kernel/text/decode.ts'
import { gateFaults } from '../faults.ts'
import type { Check, RequiredCheck } from './check.ts'
import { oneLine, problemDraft } from './check-problems.ts'
import { CHECK_READERS, type ReaderName } from './readers/check-readers.ts'
import { type CheckOutput, CheckUnreadable } from './readers/reader.ts'
import { type CheckRun, readResults } from './run-check.ts'

/** Results that were made elsewhere, on the same tree. */
export interface ImportSource {
  /** A check of the repository or a format; undefined to recognize the format by its content. */
  readonly name: string | undefined
  /** The name of the file, for reports. */
  readonly label: string
  readonly bytes: Uint8Array
}

export interface ImportedRun {
  readonly one: RequiredCheck
  readonly run: CheckRun
  readonly label: string
}

const HEAD_BYTES = 64 * 1024

const FORMATS: readonly (readonly [ReaderName, RegExp])[] = [
  ['sarif', /^\{[\s\S]*"(?:runs|\$schema)"\s*:/],
  ['eslint', /^\[\s*(?:\]|\{[\s\S]*"(?:filePath|messages)"\s*:)/],
  ['junit', /^(?:<\?[^>]*>\s*|<!--[\s\S]*?-->\s*)*<testsuites?[\s/>]/],
  ['cobertura', /^(?:<[?!][^>]*>\s*)*<coverage[\s/>]/],
  ['lcov', /^(?:TN:.*\r?\n)*SF:/],
]

/** The format that the start of a file shows. */
const recognizeFormat = (bytes: Uint8Array): ReaderName | undefined => {
  const head = decodeLenient(bytes.subarray(0, HEAD_BYTES))
    .replace(/^\ufeff/, '')
    .trimStart()
  return FORMATS.find(([, pattern]) => pattern.test(head))?.[0]
}

const NAMED =
  'Write --import FORMAT=FILE with one of sarif, junit, eslint, tsc, lines; or --import CHECK=FILE with a check of .warrant/checks.yml.'

const formatOf = ({ name, label, bytes }: ImportSource): ReaderName => {
  const format = name ?? recognizeFormat(bytes)
  const shown = JSON.stringify(label)
  if (format === undefined)
    throw gateFaults.import_unknown(`the format of ${shown} is not recognized`, { fix: NAMED })
  if (!Object.hasOwn(CHECK_READERS, format) || format === 'exit')
    throw gateFaults.import_unknown(`there is no check or format ${JSON.stringify(name)} for ${shown}`, {
      fix: NAMED,
    })
  if (format === 'lcov' || format === 'cobertura')
    throw gateFaults.import_unknown(`${shown} is a coverage report, and no thresholds are known for it`, {
      fix: 'Declare a check with thresholds in .warrant/checks.yml and write --import CHECK=FILE.',
    })
  return format as ReaderName
}

/** A check for results that belong to none of the repository. */
const anonymousCheck = (reads: ReaderName): Check => ({
  name: reads,
  line: 1,
  run: '',
  reads,
  stages: [],
  timeoutMs: 0,
  severity: {},
  only: 'all',
  env: [],
})

/** SARIF comes from many tools: its check is called after the tool. */
const nameAfterTool = (check: Check, { tool }: CheckOutput): Check => {
  const name = tool?.name
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, 40)
  return check.reads === 'sarif' && name ? { ...check, name } : check
}

const read = async (
  one: RequiredCheck,
  { label, bytes }: ImportSource,
  root: string,
): Promise<ImportedRun> => {
  const { check } = one
  try {
    const output = await readResults({ check, bytes, root, exitCode: undefined })
    const named = check.run === '' ? { ...one, check: nameAfterTool(check, output) } : one
    return { one: named, run: { output }, label }
  } catch (thrown) {
    if (!(thrown instanceof CheckUnreadable)) throw thrown
    const { region: _, ...draft } = problemDraft(check, 'unreadable', {
      message: `The imported file ${label} cannot be read as ${check.reads}: ${oneLine(thrown.message)}.`,
      fix: 'Check that the tool wrote all of it, and that it is in this format.',
    })
    return { one, run: { problem: 'unreadable', draft: { ...draft, file: label } }, label }
  }
}

/** Reads imported results: for the checks that they are named after, or for checks of their own. */
export const readImports = async (
  sources: readonly ImportSource[],
  required: readonly RequiredCheck[],
  root: string,
): Promise<readonly ImportedRun[]> => {
  const runs = sources.map((source) => {
    const declared = required.filter(({ check }) => check.name === source.name)
    const checks =
      declared.length > 0
        ? declared
        : [{ check: anonymousCheck(formatOf(source)), digests: [], ofBase: false }]
    return Promise.all(checks.map((one) => read(one, source, root)))
  })
  return (await Promise.all(runs)).flat()
}

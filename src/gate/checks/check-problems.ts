import { stripVTControlCharacters } from 'node:util'
import { escapeInvisible } from '../../kernel/text/escape-text.ts'
import type { FindingDraft } from '../findings/drafts.ts'
import { CHECK_SOURCE, CHECKS_FILE, type Check, type CommandResult } from './check.ts'

/** CRITICAL blocks at every stage: a check that was not carried out must not count as passed. */
export type CheckProblem = 'not-allowed' | 'missing' | 'unreadable' | 'timeout' | 'failed'

const MAX_SHOWN = 400

/** Text of a tool on one line, within limits. */
export const oneLine = (text: string, most = MAX_SHOWN): string => {
  const plain = escapeInvisible(stripVTControlCharacters(text).replace(/\s+/g, ' ').trim())
  return plain.length <= most ? plain : `${plain.slice(0, most)}…`
}

const LAST_LINES = 3
/** What npm says about itself, and what Node.js prints after the message of an error. */
const NOISE = /^npm (?:warn|notice)\b|^npm error A complete log|^\s+at .|^\s*\^+$|^Node\.js v\d/i

/** The last lines that a command wrote: of stderr, or else of stdout. */
const lastWords = ({ lastErrors, lastOutput }: CommandResult): string => {
  const text = lastErrors.trim() === '' ? lastOutput : lastErrors
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !NOISE.test(line))
  return oneLine(lines.slice(-LAST_LINES).join(' / '))
}

/** How a command ended, with its last words. */
export const describeEnd = (result: CommandResult): string => {
  const words = lastWords(result)
  const end =
    result.exitCode === undefined ? 'was killed by a signal' : `ended with exit code ${result.exitCode}`
  return words === '' || result.exitCode === 0 ? end : `${end}: ${words.replace(/\.$/, '')}`
}

export const checkRegion = ({ line }: Check): NonNullable<FindingDraft['region']> => ({
  line,
  column: 1,
  endLine: line,
  endColumn: 2,
})

/** A finding about a check that gave no result. */
export const problemDraft = (
  check: Check,
  problem: CheckProblem,
  { message, fix }: { readonly message: string; readonly fix: string },
): FindingDraft => ({
  ruleId: `gate.check-${problem}`,
  severity: 'CRITICAL',
  code: `CHECK_${problem.toUpperCase().replace('-', '_')}`,
  message,
  file: CHECKS_FILE,
  region: checkRegion(check),
  fix,
  matchedBy: 'Check',
  source: CHECK_SOURCE,
  text: check.name,
})

/** Package runners of npm do not download a missing program for a check: the variable `npm_config_yes` forbids it. */
const NOT_INSTALLED = /canceled due to missing packages|could not determine executable to run/
const RUNNERS = /^(npx|npm|pnpm|yarn|bunx?)$/
const MISSING_CODES = new Set([126, 127, 9009])

const isMissing = ({ exitCode, lastErrors }: CommandResult): boolean =>
  exitCode !== undefined &&
  (MISSING_CODES.has(exitCode) || (exitCode !== 0 && NOT_INSTALLED.test(lastErrors)))

const isUnknown = (program: string, errors: string): boolean => errors.includes(`${program}: not found`)

const installHint = ({ run, install }: Check, { lastErrors }: CommandResult): string => {
  const [program = ''] = run.trim().split(/\s+/)
  // The package manager itself may be what is missing.
  const first =
    install?.startsWith(`${program} `) && isUnknown(program, lastErrors) ? `\`${program}\`, then: ` : 'it: '
  if (install !== undefined) return `Install ${first}${install}`
  if (RUNNERS.test(program) && !isUnknown(program, lastErrors))
    return 'Install the packages of the repository: npm ci (or the command of its package manager)'
  return `Install \`${oneLine(program, 60)}\` so that it is on the PATH, or name the command as \`install\` of the check.`
}

/** The problem of a command that did not end by itself, or whose program is not there. */
export const commandProblem = (check: Check, result: CommandResult): FindingDraft | undefined => {
  const { name, timeoutMs } = check
  switch (result.ended) {
    case 'timeout':
      return problemDraft(check, 'timeout', {
        message: `The check ${name} was ended after ${timeoutMs / 1_000} s without a result.`,
        fix: 'Make it faster, or raise its `timeout`.',
      })
    case 'size':
      return problemDraft(check, 'unreadable', {
        message: `The check ${name} wrote a larger file than can be read, so its results were not judged.`,
        fix: 'Have it report fewer results.',
      })
    case 'killed':
      return problemDraft(check, 'failed', {
        message: `The check ${name} ${describeEnd(result)}.`,
        fix: 'Run the command yourself to see why; it may need more memory.',
      })
  }
  if (!isMissing(result)) return undefined
  return problemDraft(check, 'missing', {
    message: `The check ${name} could not run, because a program is missing: it ${describeEnd(result)}.`,
    fix: installHint(check, result),
  })
}

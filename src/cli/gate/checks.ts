import { openChecks, readAllowed, rememberAllowed } from '../../app/open/checks/open.ts'
import { openRepositoryForCommand } from '../../app/open/repository.ts'
import { loadSettings } from '../../app/process-context.ts'
import { CHECKS_FILE, type ChecksFile, MAX_CHECKS_BYTES } from '../../gate/checks/check.ts'
import { type JudgedChecks, judgeChecks } from '../../gate/checks/judge-checks.ts'
import { loadChecks } from '../../gate/checks/load-checks.ts'
import { parseChecks } from '../../gate/checks/parse-checks.ts'
import { gateFaults } from '../../gate/faults.ts'
import type { FindingDraft } from '../../gate/findings/drafts.ts'
import { isAtLeast } from '../../gate/policy.ts'
import { checkLines } from '../../gate/reports/text.ts'
import { diffLines } from '../../kernel/text/diff.ts'
import { escapeLineBreaks } from '../../kernel/text/escape-text.ts'
import { escapeHidden } from '../../kernel/text/hidden-characters.ts'
import { repositoryFiles } from '../../platform/git/worktree.ts'
import { askTerminal } from '../../platform/system/ask-terminal.ts'
import { type Invocation, usageFaults } from '../command/command.ts'
import { printOutput, requireWritable, runSubcommand, type Subcommand } from '../command/subcommand.ts'
import { writeTable } from '../command/text-table.ts'
import { suggest } from './checks-suggest.ts'
import { watchChecks } from './watch-checks.ts'

const open = async (invocation: Invocation) => {
  const { config } = loadSettings(invocation)
  const repository = await openRepositoryForCommand(config)
  const bytes = await repositoryFiles(repository.root).read(CHECKS_FILE, MAX_CHECKS_BYTES)
  if (bytes === undefined) throw gateFaults.checks_missing(`the repository has no ${CHECKS_FILE}`)
  const text = new TextDecoder('utf-8', { fatal: false }).decode(bytes)
  const file: ChecksFile = await parseChecks(text)
  const allowed = await readAllowed(repository.root)
  return {
    ...repository,
    text,
    file,
    allowed,
    isAllowed: allowed.some(({ digest }) => digest === file.digest),
  }
}

const list: Subcommand = async (invocation) => {
  const { file, isAllowed } = await open(invocation)
  const { digest, checks } = file
  const rows = checks.map(({ name, stages, reads, run }) => [name, stages.join(' '), reads, run])
  const value = { file: CHECKS_FILE, digest, allowed: isAllowed, checks }
  const state = isAllowed
    ? 'A person allowed this version on this machine.'
    : 'Not allowed on this machine, so no check runs. A person allows it in a terminal: warrant checks allow'
  return printOutput(invocation, value, () =>
    [writeTable(['check', 'stages', 'reads', 'run'], rows), '', `${CHECKS_FILE} is ${digest}`, state].join(
      '\n',
    ),
  )
}

const TYPED_LENGTH = 8

const NOTICE = [
  'These commands will run on this machine with your rights: when you commit or push, and when an agent runs the gate.',
  'What they call is not part of this file: scripts of package.json, configuration and tests of the repository run too.',
]

/** Asks a person. An agent has no terminal; one that makes itself a terminal deceives on purpose. */
const allow: Subcommand = async (invocation) => {
  requireWritable(loadSettings(invocation).config, '`warrant checks allow`')
  const { root, text, file, allowed, isAllowed } = await open(invocation)
  const { digest } = file
  const done = () =>
    printOutput(invocation, { allowed: true, digest }, () => `${CHECKS_FILE} is allowed: ${digest}`)
  if (isAllowed) return done()
  const [last] = allowed
  const lines = last === undefined ? text.split('\n') : diffLines(last.text, text)
  const title =
    last === undefined ? `${CHECKS_FILE}:` : `${CHECKS_FILE}, compared with what was allowed last:`
  const code = digest.slice('sha256:'.length, 'sha256:'.length + TYPED_LENGTH)
  const shown = [
    title,
    '',
    ...lines.map((line) => escapeLineBreaks(escapeHidden(line))),
    '',
    ...NOTICE,
    '',
    digest,
  ]
  const answer = await askTerminal(
    `${shown.join('\n')}\nTo allow this, type the first ${TYPED_LENGTH} characters after "sha256:" > `,
  )
  if (answer === undefined)
    throw gateFaults.checks_not_allowed('there is no terminal on which a person could allow the checks')
  if (answer.trim().toLowerCase() !== code) {
    invocation.terminal.printError('warrant: nothing was allowed, because the answer was another one.')
    return 1
  }
  if (!(await rememberAllowed(root, text)))
    throw gateFaults.checks_not_allowed('the answer could not be kept in the state folder of this user', {
      fix: 'Make $XDG_STATE_HOME, or ~/.local/state, writable for this user.',
    })
  return done()
}

const findingLine = ({ file, region, severity, ruleId, message, fix }: FindingDraft): string => {
  const place = region === undefined ? file : `${file}:${region.line}:${region.column}`
  const repair = fix === undefined ? '' : ` ${fix}`
  return escapeLineBreaks(`${place}: ${severity} ${ruleId}: ${message}${repair}`)
}

const printJudged = (invocation: Invocation, { drafts, rows }: JudgedChecks): number => {
  const findings = drafts.map(({ text: _, source: __, matchedBy: ___, ...finding }) => finding)
  const lines = () => [...drafts.map(findingLine), ...checkLines(rows)].join('\n')
  printOutput(invocation, { checks: rows, findings }, lines)
  return drafts.some(({ severity }) => isAtLeast(severity, 'ERROR')) ? 1 : 0
}

/** Runs checks on the working tree, whatever their stages and the change are. */
const runChecks: Subcommand = async (invocation, names) => {
  const { config, root, git, signal, text, file, isAllowed } = await open(invocation)
  const unknown = names.find((name) => !file.checks.some((check) => check.name === name))
  if (unknown !== undefined)
    throw usageFaults.argument(`there is no check ${JSON.stringify(unknown)} in ${CHECKS_FILE}`)
  if (!isAllowed)
    throw gateFaults.checks_not_allowed(`no person allowed this version of ${CHECKS_FILE} (${file.digest})`)
  const due = (await loadChecks(text))
    .filter(({ check }) => names.length === 0 || names.includes(check.name))
    .map((one) => ({ ...one, check: { ...one.check, only: 'all' as const } }))
  const judged = await judgeChecks(due, {
    ports: openChecks(config, { root, environment: { ...process.env }, allowed: [] }),
    git,
    set: await git.changes({ kind: 'worktree' }, signal),
    stage: 'PRE_WRITE',
    progress: watchChecks({ hidden: invocation.json }),
    signal,
  })
  return printJudged(invocation, judged)
}

const SUBCOMMANDS: Readonly<Record<string, Subcommand>> = { list, run: runChecks, allow, suggest }

export const run = (invocation: Invocation): Promise<number> =>
  runSubcommand(SUBCOMMANDS, invocation, { list: 0, allow: 0, suggest: 0 })

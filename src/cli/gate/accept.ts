import { join } from 'node:path'
import { openRepositoryForCommand } from '../../app/open/repository.ts'
import { loadSettings } from '../../app/process-context.ts'
import type { Evidence, Finding } from '../../evidence/schema.ts'
import { evidenceFaults } from '../../evidence/store.ts'
import {
  ACCEPTANCES_FILE,
  type Acceptance,
  isAcceptable,
  MAX_ACCEPTANCES_BYTES,
  needsBlob,
} from '../../gate/findings/acceptances.ts'
import { parseAcceptances } from '../../gate/findings/parse-acceptances.ts'
import { MAX_FILE_BYTES } from '../../gate/ports.ts'
import { escapeLineBreaks } from '../../kernel/text/escape-text.ts'
import { escapeHidden } from '../../kernel/text/hidden-characters.ts'
import { replaceFile } from '../../platform/files/atomic-write.ts'
import { fileEvidence } from '../../platform/files/evidence-file.ts'
import { requireNoSymlinks } from '../../platform/files/no-symlinks.ts'
import { makeState } from '../../platform/files/state-folder.ts'
import { objectId } from '../../platform/git/blobs.ts'
import { repositoryFiles } from '../../platform/git/worktree.ts'
import { askTerminal } from '../../platform/system/ask-terminal.ts'
import { systemClock } from '../../platform/system/clock.ts'
import { type Invocation, usageFaults } from '../command/command.ts'
import { printOutput, requireWritable, textFlag } from '../command/subcommand.ts'

const SHOWN_DIGITS = 12
const TYPED_DIGITS = 6
const MOST_CANDIDATES = 5

const HEADER = `# Findings that this repository accepts, each with its reason. Commit this file; each new entry is shown to the reviewer.
# A person adds one with \`warrant accept FINDING --reason TEXT\`.
findings:
`

const placeOf = ({ file, lines }: Finding): string =>
  Array.isArray(lines) && lines[0] !== undefined ? `${file}:${lines[0]}` : file

const fingerprintOf = ({ fingerprint }: Finding): string =>
  typeof fingerprint === 'string' ? fingerprint : ''

/** The finding of the newest run whose fingerprint begins so. */
const findOne = ({ snapshot: { findings } }: Evidence, named: string | undefined): Finding => {
  if (named === undefined || !/^[0-9a-f]{6,32}$/.test(named))
    throw usageFaults.argument('give the fingerprint of a finding, or at least 6 of its first digits')
  const found = findings.filter((one) => fingerprintOf(one).startsWith(named))
  const [first, second] = found
  if (first !== undefined && second === undefined) return first
  const rows = (first === undefined ? findings : found)
    .slice(0, MOST_CANDIDATES)
    .map((one) => `${fingerprintOf(one).slice(0, SHOWN_DIGITS)} ${one.ruleId} ${placeOf(one)}`)
  const what = first === undefined ? 'no finding of the newest run begins' : 'several findings begin'
  throw usageFaults.argument(`${what} with ${named}${rows.length === 0 ? '' : `: ${rows.join('; ')}`}`, {
    fix: 'Name one by more digits. `warrant gate` writes the findings anew.',
  })
}

/** A hexadecimal text that YAML might read as a number is quoted. */
const hexText = (hex: string): string => (/[a-df]/.test(hex) ? hex : JSON.stringify(hex))

const writeEntry = ({ finding, rule, path, blob, reason, until, by }: Acceptance): string =>
  [
    `  - finding: ${hexText(finding)}`,
    `    rule: ${JSON.stringify(rule)}`,
    `    path: ${JSON.stringify(path)}`,
    ...(blob === undefined ? [] : [`    blob: ${hexText(blob)}`]),
    `    reason: ${JSON.stringify(reason)}`,
    ...(until === undefined ? [] : [`    until: ${until}`]),
    ...(by === undefined ? [] : [`    by: ${JSON.stringify(by)}`]),
    '',
  ].join('\n')

/** The file with the entry, in the place of an older one about the same finding. The rest of the text stays as it is. */
const addEntry = async (text: string | undefined, entry: Acceptance): Promise<string> => {
  const old = text === undefined ? [] : await parseAcceptances(text)
  const at = old.findIndex(({ finding }) => finding === entry.finding)
  const appended = `${text?.replace(/\n*$/, '\n') ?? HEADER}${writeEntry(entry)}`
  const read = at < 0 ? await parseAcceptances(appended).catch(() => []) : []
  if (JSON.stringify(read) === JSON.stringify([...old, entry])) return appended
  // What was written must be readable: a broken list stops the gate.
  await parseAcceptances(HEADER + writeEntry(entry))
  const { parseDocument } = await import('yaml')
  const document = parseDocument(text ?? '')
  const node = document.createNode(JSON.parse(JSON.stringify(entry)))
  document.setIn(['findings', at < 0 ? old.length : at], node)
  return document.toString({ lineWidth: 0 })
}

const readOptions = (invocation: Invocation) => {
  const [reason, until, by] = ['reason', 'until', 'by'].map((flag) => textFlag(invocation, flag))
  if (reason === undefined || reason.trim() === '')
    throw usageFaults.option('--reason TEXT is required: why the finding is accepted')
  if (until !== undefined && until < new Date(systemClock.now()).toISOString().slice(0, 10))
    throw usageFaults.option('--until must be a day to come, such as 2027-01-31')
  return { reason, ...(until !== undefined && { until }), ...(by !== undefined && { by }) }
}

/** Id of the file that was judged. A file that is gone has none. */
const readBlob = async (root: string, { file }: Finding, evidence: Evidence): Promise<string | undefined> => {
  const { entries = [], head = null } = evidence.judged_tree ?? {}
  const judged = entries.find(({ path }) => path === file)
  if (judged !== undefined) return /^[0-9a-f]+$/.test(judged.id) ? judged.id : undefined
  const bytes = await repositoryFiles(root).read(file, MAX_FILE_BYTES)
  return bytes && objectId('blob', bytes, head?.length ?? 40)
}

/** Accepts a finding of the newest run. Asks a person, as `warrant checks allow` does. */
export const run = async (invocation: Invocation): Promise<number> => {
  const { config } = loadSettings(invocation)
  requireWritable(config, '`warrant accept`')
  const options = readOptions(invocation)
  const { root, lifecycle, signal } = await openRepositoryForCommand(config)
  const reading = await fileEvidence(root, systemClock).read()
  if (reading.kind !== 'valid') throw evidenceFaults.unusable('there is no evidence of a run of the gate')
  const found = findOne(reading.evidence, invocation.positionals[0])
  const { ruleId: rule, file: path, message } = found
  if (!isAcceptable(rule))
    throw usageFaults.argument(`findings of ${rule} cannot be accepted`, {
      fix: typeof found.expected_fix === 'string' ? found.expected_fix : 'Repair what it reports.',
    })
  const isSecret = found.secret === true
  const blob = needsBlob({ ruleId: rule, secret: isSecret })
    ? await readBlob(root, found, reading.evidence)
    : undefined
  if (isSecret && blob === undefined) throw usageFaults.argument(`there is no file ${path} any more`)
  const finding = fingerprintOf(found)
  const entry: Acceptance = { finding, rule, path, ...(blob !== undefined && { blob }), ...options }
  const bytes = await repositoryFiles(root).read(ACCEPTANCES_FILE, MAX_ACCEPTANCES_BYTES)
  const text = await addEntry(bytes && new TextDecoder().decode(bytes), entry)
  const shown = [
    `${placeOf(found)}: ${found.severity} ${rule}: ${message}`,
    '',
    ...writeEntry(entry).split('\n'),
  ]
  const answer = await askTerminal(
    `${shown.map((line) => escapeLineBreaks(escapeHidden(line))).join('\n')}\nTo accept this, type the first ${TYPED_DIGITS} digits after "finding:" > `,
  )
  if (answer === undefined)
    throw usageFaults.argument('there is no terminal on which a person could accept the finding', {
      fix: 'A person runs it in a terminal, or repairs the finding.',
    })
  if (answer.trim().toLowerCase() !== finding.slice(0, TYPED_DIGITS)) {
    invocation.terminal.printError('warrant: nothing was accepted, because the answer was another one.')
    return 1
  }
  await makeState(join(root, '.warrant'))
  await replaceFile(requireNoSymlinks(root, ACCEPTANCES_FILE), text, { durable: true })
  const force = (await lifecycle.git.ignores(ACCEPTANCES_FILE, signal)) ? '--force ' : ''
  return printOutput(
    invocation,
    entry,
    () =>
      `${rule} in ${escapeLineBreaks(path)} is accepted.\nNext: git add ${force}${ACCEPTANCES_FILE}, then commit again`,
  )
}

import { join } from 'node:path'
import { openRepositoryForCommand } from '../../app/open/repository.ts'
import { loadSettings } from '../../app/process-context.ts'
import type { Evidence, Finding } from '../../evidence/schema.ts'
import { evidenceFaults } from '../../evidence/store.ts'
import { ACCEPTANCES_FILE, MAX_ACCEPTANCES_BYTES, parseAcceptances } from '../../gate/findings/acceptances.ts'
import { acceptableBy } from '../../gate/rules/acceptable.ts'
import { optional } from '../../kernel/optional.ts'
import { escapeLineBreaks } from '../../kernel/text/escape-text.ts'
import { escapeHidden } from '../../kernel/text/hidden-characters.ts'
import { replaceFile } from '../../platform/files/atomic-write.ts'
import { fileEvidence } from '../../platform/files/evidence-file.ts'
import { requireNoSymlinks } from '../../platform/files/no-symlinks.ts'
import { makeState } from '../../platform/files/state-folder.ts'
import { repositoryFiles } from '../../platform/git/worktree.ts'
import { askTerminal } from '../../platform/system/ask-terminal.ts'
import { systemClock } from '../../platform/system/clock.ts'
import { type Invocation, usageFaults } from '../command/command.ts'
import { printOutput, requireWritable, textFlag } from '../command/subcommand.ts'

const NO_ENTRIES = `# Findings that this repository accepts, each with its reason. Commit this file; a reviewer is shown each new entry.
# A person adds one with \`warrant accept FINDING --reason TEXT\`.
findings: []
`

const placeOf = ({ file, lines }: Finding): string => (Array.isArray(lines) ? `${file}:${lines[0]}` : file)

/** The finding of the newest run whose fingerprint begins so. */
const findOne = ({ snapshot: { findings } }: Evidence, named = ''): Finding => {
  if (!/^[0-9a-f]{6,32}$/.test(named))
    throw usageFaults.argument('give the fingerprint of a finding, or at least 6 of its first digits')
  const found = findings.filter(({ fingerprint }) => String(fingerprint).startsWith(named))
  const [first, second] = found
  if (first !== undefined && second === undefined) return first
  const rows = (first === undefined ? findings : found)
    .slice(0, 5)
    .map((one) => `${String(one.fingerprint).slice(0, 12)} ${one.ruleId} ${placeOf(one)}`)
  const what = first === undefined ? 'no finding of the newest run begins' : 'several findings begin'
  throw usageFaults.argument([`${what} with ${named}`, ...rows].join('; '), {
    fix: 'Name one by more digits. `warrant gate` writes the findings anew.',
  })
}

/** The file with the entry, in the place of an older one about the same finding. Comments and other entries stay. */
const addEntry = async (text: string, entry: { readonly finding: string }): Promise<string> => {
  const at = (await parseAcceptances(text)).entries.findIndex(({ finding }) => finding === entry.finding)
  const { isSeq, parseDocument } = await import('yaml')
  const document = parseDocument(text)
  const list = document.get('findings')
  if (!isSeq(list)) return text
  list.flow = false
  list.set(at < 0 ? list.items.length : at, document.createNode(entry))
  const added = document.toString({ lineWidth: 0 })
  // What is written must be readable: a broken list stops the gate.
  await parseAcceptances(added)
  return added
}

/** Accepts a finding of the newest run. Asks a person, as `warrant checks allow` does. */
export const run = async (invocation: Invocation): Promise<number> => {
  const { config } = loadSettings(invocation)
  requireWritable(config, '`warrant accept`')
  const [reason, until, by] = ['reason', 'until', 'by'].map((flag) => textFlag(invocation, flag))
  if (reason === undefined) throw usageFaults.option('--reason TEXT is required: why the finding is accepted')
  if (until !== undefined && until < new Date(systemClock.now()).toISOString().slice(0, 10))
    throw usageFaults.option('--until must be a day to come, such as 2027-01-31')
  const { root, git, lifecycle, signal } = await openRepositoryForCommand(config)
  const reading = await fileEvidence(root, systemClock).read()
  if (reading.kind !== 'valid') throw evidenceFaults.unusable('there is no evidence of a run of the gate')
  const found = findOne(reading.evidence, invocation.positionals[0])
  const { ruleId: rule, file: path, severity, message, expected_fix: fix } = found
  const isSecret = found.secret === true
  const named = acceptableBy(rule, isSecret)
  if (named === undefined)
    throw usageFaults.argument(`findings of ${rule} cannot be accepted`, { fix: String(fix ?? 'Repair it.') })
  // What was judged, or else what is in the index.
  const judged = reading.evidence.judged_tree?.entries ?? []
  const files = [...judged, ...(await git.tracked(undefined, signal)).entries()]
  const id = files.find((one) => one.path === path)?.id ?? ''
  const blob = named === 'blob' && /^[0-9a-f]+$/.test(id) ? id : undefined
  if (isSecret && blob === undefined)
    throw usageFaults.argument(`git does not know ${path}`, { fix: 'Stage it, and run the gate again.' })
  const finding = String(found.fingerprint)
  const entry = { finding, rule, path, ...optional({ blob }), reason, ...optional({ until, by }) }
  const bytes = await repositoryFiles(root).read(ACCEPTANCES_FILE, MAX_ACCEPTANCES_BYTES)
  const text = await addEntry(bytes === undefined ? NO_ENTRIES : new TextDecoder().decode(bytes), entry)
  const members = Object.entries(entry).map(([name, value]) => `  ${name}: ${value}`)
  const shown = [`${placeOf(found)}: ${severity} ${rule}: ${message}`, '', ...members, '']
  const answer = await askTerminal(
    `${shown.map((line) => escapeLineBreaks(escapeHidden(line))).join('\n')}\nTo accept this, type the first 6 digits after "finding:" > `,
  )
  if (answer === undefined)
    throw usageFaults.argument('there is no terminal on which a person could accept the finding', {
      fix: 'A person runs it in a terminal, or repairs the finding.',
    })
  if (answer.trim().toLowerCase() !== finding.slice(0, 6)) {
    invocation.terminal.printError('warrant: nothing was accepted, because the answer was another one.')
    return 1
  }
  await makeState(join(root, '.warrant'))
  await replaceFile(requireNoSymlinks(root, ACCEPTANCES_FILE), text, { durable: true })
  const add = `git add ${(await lifecycle.git.ignores(ACCEPTANCES_FILE, signal)) ? '--force ' : ''}${ACCEPTANCES_FILE}`
  return printOutput(
    invocation,
    entry,
    () => `${escapeLineBreaks(`${rule} in ${path}`)} is accepted.\nNext: ${add}, then commit again`,
  )
}

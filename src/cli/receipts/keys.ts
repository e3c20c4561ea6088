import { join } from 'node:path'
import { openReceiptSigner } from '../../app/open/receipts/signing-key.ts'
import { openRepositoryForCommand } from '../../app/open/repository.ts'
import { loadSettings } from '../../app/process-context.ts'
import { replaceFile } from '../../platform/files/atomic-write.ts'
import { requireNoSymlinks } from '../../platform/files/no-symlinks.ts'
import { makeState } from '../../platform/files/state-folder.ts'
import { repositoryFiles } from '../../platform/git/worktree.ts'
import { systemClock } from '../../platform/system/clock.ts'
import { receiptFaults } from '../../receipts/faults.ts'
import {
  addKeyCommand,
  KEYS_HEADER,
  type ListedKey,
  parseKeys,
  writeListedKey,
} from '../../receipts/keys-file.ts'
import { KEY_ROLES, KEYS_FILE, MAX_KEYS_BYTES } from '../../receipts/keys-path.ts'
import { parseReceiptKey, type ReceiptKey } from '../../receipts/verifier-key.ts'
import { type Invocation, usageFaults } from '../command/command.ts'
import {
  printOutput,
  requireWritable,
  runSubcommand,
  type Subcommand,
  textFlag,
} from '../command/subcommand.ts'
import { writeTable } from '../command/text-table.ts'

const open = async (invocation: Invocation) => {
  const { config } = loadSettings(invocation)
  const { root, lifecycle, signal } = await openRepositoryForCommand(config)
  const bytes = await repositoryFiles(root).read(KEYS_FILE, MAX_KEYS_BYTES)
  const text = bytes && new TextDecoder('utf-8', { fatal: false }).decode(bytes)
  const ignores = (path: string) => lifecycle.git.ignores(path, signal)
  return { config, root, text, ignores, keys: await parseKeys(text) }
}

const show: Subcommand = async (invocation) => {
  const { config, root, keys } = await open(invocation)
  const { key } = await openReceiptSigner(config, root)
  const listed = keys.find((entry) => entry.key.id === key.id)
  const state =
    listed === undefined
      ? keys.length === 0
        ? `${KEYS_FILE} lists no key: receipts are made and not required. To require them: warrant receipts require`
        : `${KEYS_FILE} does not list it, so its receipts do not count yet. Send this to a developer whose key is listed:\n  ${addKeyCommand(key)}`
      : `${KEYS_FILE} lists it: ${listed.owner}, ${listed.role}${listed.revoked === undefined ? '' : `, revoked ${listed.revoked}`}.`
  return printOutput(invocation, { key: key.text, name: key.name, listed: listed !== undefined }, () =>
    [key.text, state].join('\n'),
  )
}

const timeOf = ({ from, until, revoked }: ListedKey): string =>
  [from && `from ${from}`, until && `until ${until}`, revoked && `revoked ${revoked}`]
    .filter(Boolean)
    .join(', ')

const list: Subcommand = async (invocation) => {
  const { keys } = await open(invocation)
  const value = keys.map(({ key, ...entry }) => ({ key: key.text, ...entry }))
  return printOutput(invocation, { file: KEYS_FILE, keys: value }, () =>
    keys.length === 0
      ? `${KEYS_FILE} lists no key: receipts are not required. To require them: warrant receipts require`
      : writeTable(
          ['key', 'owner', 'role', 'time'],
          keys.map((entry) => [entry.key.name, entry.owner, entry.role, timeOf(entry)]),
        ),
  )
}

const readDay = (invocation: Invocation, flag: string): string | undefined => {
  const text = textFlag(invocation, flag)
  if (text === undefined || /^\d{4}-\d\d-\d\d(T[\d:.]+Z)?$/.test(text)) return text
  throw usageFaults.option(`--${flag} must be a day such as 2027-01-31`)
}

const readKey = (text: string): ReceiptKey => {
  const key = parseReceiptKey(text)
  if (key !== undefined) return key
  throw receiptFaults.key_invalid(`${JSON.stringify(text.slice(0, 100))} is not a verifier key`)
}

/** Shells that coding agents start name their agent. */
const AGENT_SHELL = ['CLAUDECODE', 'CURSOR_AGENT', 'CODEX_SANDBOX', 'GEMINI_CLI', 'COPILOT_CLI', 'OPENCODE']

/** Who may sign is decided by a person: on a terminal, or in a script of one. */
export const requirePerson = ({ flags }: Invocation, what: string): void => {
  if (AGENT_SHELL.some((name) => process.env[name]))
    throw usageFaults.option(`${what} is run by a person, and this is the shell of a coding agent`)
  if (flags.yes !== true && process.stdin.isTTY !== true)
    throw usageFaults.option(`${what} needs a terminal, or --yes`)
}

export const writeKeys = async (root: string, text: string): Promise<void> => {
  // What was written must be readable: a broken list stops the gate.
  await parseKeys(text)
  await makeState(join(root, '.warrant'))
  const path = requireNoSymlinks(root, KEYS_FILE)
  await replaceFile(path, text, { durable: true })
}

/** Changes members of one entry, and keeps comments. */
const editEntry = async (
  root: string,
  text: string,
  at: number,
  members: Readonly<Record<string, string>>,
): Promise<void> => {
  const { parseDocument } = await import('yaml')
  const document = parseDocument(text)
  for (const [name, value] of Object.entries(members)) document.setIn(['keys', at, name], value)
  await writeKeys(root, document.toString({ lineWidth: 0 }))
}

const done = (invocation: Invocation, key: ReceiptKey, what: string): number =>
  printOutput(
    invocation,
    { key: key.text, file: KEYS_FILE },
    () =>
      `${key.name} ${what} in ${KEYS_FILE}.\nNext: commit this file alone, then push: git commit -m 'Keys of receipts' -- ${KEYS_FILE}`,
  )

const add: Subcommand = async (invocation, [given]) => {
  const { config, root, text, keys, ignores } = await open(invocation)
  requireWritable(config, '`warrant receipts keys add`')
  requirePerson(invocation, '`warrant receipts keys add`')
  const owner = textFlag(invocation, 'owner')
  if (owner === undefined) throw usageFaults.option('--owner NAME is required: who holds the key')
  const role = textFlag(invocation, 'role') ?? 'developer'
  if (!KEY_ROLES.some((one) => one === role))
    throw usageFaults.option(`--role must be ${KEY_ROLES.join(', ')}`)
  const own = (await openReceiptSigner(config, root)).key
  const key = given === undefined ? own : readKey(given)
  const by = keys.some((entry) => entry.key.id === own.id) && key.id !== own.id ? own.name : undefined
  const at = keys.findIndex((entry) => entry.key.id === key.id)
  if (at >= 0 && text !== undefined && keys[at]?.revokedWith !== undefined && by !== undefined) {
    // The key of the developer who added it was revoked: now another one answers for it.
    await editEntry(root, text, at, { by })
    return done(invocation, key, 'is listed again')
  }
  if (at >= 0) throw receiptFaults.key_exists(`${KEYS_FILE} lists ${key.name} already`)
  const [from, until] = [readDay(invocation, 'from'), readDay(invocation, 'until')]
  const times = [
    ...(from === undefined ? [] : [`    from: ${from}\n`]),
    ...(until === undefined ? [] : [`    until: ${until}\n`]),
  ]
  const start = text === undefined || keys.length === 0 ? KEYS_HEADER : text.replace(/\n*$/, '\n')
  await writeKeys(root, `${start}${writeListedKey(key.text, owner, role, by)}${times.join('')}`)
  if (await ignores(KEYS_FILE))
    invocation.terminal.printError(
      `warrant: git ignores ${KEYS_FILE}; add it with: git add --force ${KEYS_FILE}`,
    )
  return done(invocation, key, 'is listed')
}

/** Receipts that the key signed before that day stay trusted. */
const revoke: Subcommand = async (invocation, [named]) => {
  const { config, root, text, keys } = await open(invocation)
  requireWritable(config, '`warrant receipts keys revoke`')
  requirePerson(invocation, '`warrant receipts keys revoke`')
  if (named === undefined) throw usageFaults.argument('name the key: warrant receipts keys revoke NAME')
  const at = keys.findIndex(({ key }) => key.name === named || key.text === named)
  const entry = keys[at]
  if (entry === undefined || text === undefined)
    throw receiptFaults.key_unknown(`${KEYS_FILE} does not list ${JSON.stringify(named)}`)
  const day = readDay(invocation, 'from') ?? new Date(systemClock.now()).toISOString()
  await editEntry(root, text, at, { revoked: day })
  return done(invocation, entry.key, `is revoked from ${day} on`)
}

export const run = (invocation: Invocation): Promise<number> =>
  runSubcommand({ show, list, add, revoke }, invocation, { show: 0, list: 0, add: 1, revoke: 1 })

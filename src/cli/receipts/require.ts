import { openReceiptSigner } from '../../app/open/receipts/signing-key.ts'
import { openRepositoryForCommand } from '../../app/open/repository.ts'
import { loadSettings } from '../../app/process-context.ts'
import { escapeLineBreaks } from '../../kernel/text/escape-text.ts'
import { escapeHidden } from '../../kernel/text/hidden-characters.ts'
import { findPlace } from '../../platform/git/place.ts'
import { askGit } from '../../platform/git/run.ts'
import { repositoryFiles } from '../../platform/git/worktree.ts'
import { askTerminal } from '../../platform/system/ask-terminal.ts'
import { receiptFaults } from '../../receipts/faults.ts'
import { KEYS_HEADER, parseKeys, writeListedKey } from '../../receipts/keys-file.ts'
import { KEYS_FILE, MAX_KEYS_BYTES } from '../../receipts/keys-path.ts'
import type { Invocation } from '../command/command.ts'
import { printOutput, requireWritable } from '../command/subcommand.ts'
import { requirePerson, writeKeys } from './keys.ts'

const DAYS = 90
const MAX_COMMITS = 10_000

interface Committer {
  readonly name: string
  readonly commits: number
  /** A program, or the forge itself: the key of CI covers its commits. */
  readonly isBot: boolean
}

const isBot = (name: string, email: string): boolean =>
  /\[bot\]|\bbot\b|^(?:github|gitlab|bitbucket|forgejo|renovate|dependabot)$/i.test(name) ||
  /\[bot\]@|^noreply@(?:github|gitlab)\.com$/i.test(email)

/** Who committed lately, the most active first. */
const listCommitters = (log: string): readonly Committer[] => {
  const found = new Map<string, Committer>()
  for (const line of log.split('\n').filter((one) => one !== '')) {
    const [name = '', email = ''] = line.split('\t')
    const old = found.get(name)
    found.set(name, { name, commits: (old?.commits ?? 0) + 1, isBot: isBot(name, email) })
  }
  return [...found.values()].sort((one, other) => other.commits - one.commits)
}

const listNames = (committers: readonly Committer[]): string =>
  escapeLineBreaks(escapeHidden(committers.map(({ name, commits }) => `${name} (${commits})`).join(', ')))

/** Lists the first key, so that every later commit needs a receipt. Says first whom that concerns. */
export const requireReceipts = async (invocation: Invocation): Promise<number> => {
  const { config } = loadSettings(invocation)
  requireWritable(config, '`warrant receipts require`')
  const { root, signal, lifecycle } = await openRepositoryForCommand(config)
  const present = await repositoryFiles(root).read(KEYS_FILE, MAX_KEYS_BYTES)
  const keys = await parseKeys(present && new TextDecoder().decode(present))
  if (keys.length > 0)
    throw receiptFaults.key_exists(`receipts are required already: ${KEYS_FILE} lists ${keys.length} keys`)
  const place = await findPlace(
    { folder: root, environment: process.env, gitFolders: config.gitFolders },
    signal,
  )
  const ask = async (args: readonly string[]) =>
    place === undefined ? '' : (await askGit(place, args, { signal })).text
  const owner = (await ask(['config', '--get', 'user.name'])).trim() || process.env.USER || 'this machine'
  const log = ['log', '--all', `--since=${DAYS}.days`, `--max-count=${MAX_COMMITS}`, '--format=%cn%x09%ce']
  const committers = listCommitters(await ask(log))
  const people = committers.filter((one) => !one.isBot && one.name !== owner)
  const bots = committers.filter((one) => one.isBot)
  const { key } = await openReceiptSigner(config, root)
  const lines = [
    'From the commit of the key list on, a push and CI refuse commits without a receipt.',
    `Listed first: ${key.name} (${escapeHidden(owner)})`,
    people.length === 0
      ? `There were no other committers in the last ${DAYS} days.`
      : `Without a key, commits in the last ${DAYS} days: ${listNames(people)}. Each runs \`warrant init\` and sends you the line that it prints.`,
    ...(bots.length === 0
      ? []
      : [`Bots and the forge: ${listNames(bots)}. The key of CI covers them: docs/receipts.md, "In CI".`]),
  ]
  if (invocation.flags.yes !== true) {
    requirePerson(invocation, '`warrant receipts require`')
    const answer = await askTerminal(`${lines.join('\n')}\nRequire receipts? [y/N] `)
    if (!/^y(es)?$/i.test(answer?.trim() ?? '')) {
      invocation.terminal.print('Nothing was written.')
      return 0
    }
  } else requirePerson(invocation, '`warrant receipts require`')
  await writeKeys(root, `${KEYS_HEADER}${writeListedKey(key.text, owner, 'developer')}`)
  const force = (await lifecycle.git.ignores(KEYS_FILE, signal)) ? '--force ' : ''
  const next = `Next: git add ${force}${KEYS_FILE} && git commit -m 'Require receipts', then push`
  const value = { file: KEYS_FILE, key: key.text, people, bots }
  return printOutput(invocation, value, () =>
    [...(invocation.flags.yes === true ? lines : []), next].join('\n'),
  )
}

import { openRepositoryForCommand } from '../../app/open/repository.ts'
import { loadSettings } from '../../app/process-context.ts'
import { CHECKS_FILE } from '../../gate/checks/check.ts'
import { suggestChecks, writeChecksFile } from '../../gate/checks/suggest/suggest.ts'
import type { DeclaringFiles } from '../../gate/checks/suggest/suggestion.ts'
import { decodeLenient } from '../../kernel/text/decode.ts'
import { createRepositoryFile } from '../../platform/files/output-file.ts'
import { repositoryFiles } from '../../platform/git/worktree.ts'
import { usageFaults } from '../command/command.ts'
import { printOutput, requireWritable, type Subcommand } from '../command/subcommand.ts'

const MAX_BYTES = 1024 * 1024

const countChecks = (count: number): string => (count === 1 ? '1 check' : `${count} checks`)

/** A file that cannot be used as a policy may still be one that says nothing about checks. */
export const openDeclaringFiles = async (root: string): Promise<DeclaringFiles> => {
  const files = repositoryFiles(root)
  return {
    names: new Set(await files.names('.')),
    read: async (path) => {
      const bytes = await files.read(path, MAX_BYTES).catch(() => undefined)
      return bytes === undefined ? undefined : decodeLenient(bytes)
    },
    list: (folder) => files.names(folder).catch(() => []),
  }
}

/** Prints a checks file for the tools that the repository declares; `--write` creates it. Runs nothing. */
export const suggest: Subcommand = async (invocation) => {
  const { config } = loadSettings(invocation)
  if (invocation.flags.write) requireWritable(config, '`warrant checks suggest --write`')
  const { root } = await openRepositoryForCommand(config)
  const { checks, notes } = await suggestChecks(await openDeclaringFiles(root))
  const text = writeChecksFile({ checks, notes })
  if (checks.length === 0) {
    const why =
      'No tool was found that the repository declares in its root folder (others are not looked at), so there is no check to suggest.'
    return printOutput(invocation, { checks, notes }, () =>
      [why, ...notes.map((note) => `Found, and not suggested: ${note}`)].join('\n'),
    )
  }
  if (!invocation.flags.write)
    return printOutput(invocation, { checks, notes, file: text }, () => text.trimEnd())
  if (!(await createRepositoryFile(root, CHECKS_FILE, text)))
    throw usageFaults.argument(`${CHECKS_FILE} exists already`, {
      fix: 'Run it without --write, compare the suggestion with the file, and change the file yourself.',
    })
  return printOutput(
    invocation,
    { checks, notes, written: CHECKS_FILE },
    () =>
      `${CHECKS_FILE} is written, with ${countChecks(checks.length)}. Read it, change it, commit it, and allow it: warrant checks allow`,
  )
}

import type { Invocation } from './command/command.ts'

type Words = Pick<Invocation, 'flags' | 'positionals'>

const always = (): boolean => true

const verbs =
  (...names: readonly string[]) =>
  ({ positionals: [verb = ''] }: Words): boolean =>
    names.includes(verb)

/**
 * The commands that change something outside of the log, by name. A run of the gate is not among them: its decision
 * has an entry of its own.
 */
const EFFECTS: Readonly<Record<string, (words: Words) => boolean>> = {
  // Without consent init writes nothing; after a question it calls the recorder itself.
  init: ({ flags }) => flags.yes === true && flags['dry-run'] !== true,
  install: always,
  update: always,
  accept: always,
  // The log itself is removed by --purge.
  uninstall: ({ flags }) => flags.purge !== true,
  hooks: verbs('install', 'uninstall'),
  sdd: verbs('session'),
  gate: ({ flags }) => flags.fix === true && flags['dry-run'] !== true,
  checks: ({ flags, positionals: [verb] }) =>
    verb === 'allow' || (verb === 'suggest' && flags.write === true),
  keys: verbs('add', 'revoke'),
  report: ({ flags }) => flags.save === true || flags.out !== undefined,
  packet: ({ flags, positionals: [verb = '', second] }) =>
    ['build', 'publish', 'pull', 'lock', 'revoke'].includes(verb) ||
    (verb === 'sync' && flags.check !== true) ||
    (verb === 'cache' && second === 'prune'),
  log: verbs('export', 'adopt'),
}

/** Whether a command changes something, so that it has to be on record. */
export const isEffect = (command: string, words: Words): boolean => EFFECTS[command]?.(words) === true

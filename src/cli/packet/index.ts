import type { Invocation } from '../command/command.ts'
import { runSubcommand, type Subcommand } from '../command/subcommand.ts'
import { checkArguments } from './options.ts'

/** A verb whose module is loaded when it runs. */
const from =
  <K extends string>(load: () => Promise<Readonly<Record<K, Subcommand>>>, name: K): Subcommand =>
  async (invocation, rest) =>
    (await load())[name](invocation, rest)

const ask = () => import('./ask.ts')
const store = () => import('./store.ts')
const lock = () => import('./lock.ts')

const SUBCOMMANDS: Readonly<Record<string, Subcommand>> = {
  build: from(() => import('./build.ts'), 'build'),
  publish: from(() => import('./publish.ts'), 'publish'),
  pull: from(() => import('./pull.ts'), 'pull'),
  lock: from(lock, 'lock'),
  sync: from(lock, 'sync'),
  outdated: from(lock, 'outdated'),
  revoke: from(() => import('./lock.ts'), 'revoke'),
  lookup: from(ask, 'lookup'),
  query: from(ask, 'query'),
  plan: from(ask, 'plan'),
  digest: from(ask, 'digest'),
  inspect: from(() => import('./show.ts'), 'inspect'),
  verify: from(store, 'verify'),
  cache: from(store, 'cache'),
  serve: from(() => import('./serve.ts'), 'serve'),
}

export const run = async (invocation: Invocation): Promise<number> => {
  // Alone it shows what is stored.
  const { positionals } = invocation
  const asked = { ...invocation, positionals: positionals.length === 0 ? ['cache', 'ls'] : positionals }
  checkArguments(asked)
  return runSubcommand(SUBCOMMANDS, asked)
}

import type { Invocation } from '../../surfaces/cli/command.ts'
import { runVerb, type Verb } from '../../surfaces/cli/subcommand.ts'
import { checkWords } from '../packet-options.ts'

/** One verb of a module that is loaded for it, and for it alone. */
const from =
  <K extends string>(load: () => Promise<Readonly<Record<K, Verb>>>, name: K): Verb =>
  async (invocation, rest) =>
    (await load())[name](invocation, rest)

const ask = () => import('./packet-ask.ts')
const store = () => import('./packet-store.ts')
const compare = () => import('./packet-compare.ts')

const VERBS: Readonly<Record<string, Verb>> = {
  build: from(() => import('./packet-build.ts'), 'build'),
  publish: from(() => import('./packet-publish.ts'), 'publish'),
  pull: from(() => import('./packet-pull.ts'), 'pull'),
  lookup: from(ask, 'lookup'),
  query: from(ask, 'query'),
  plan: from(ask, 'plan'),
  digest: from(ask, 'digest'),
  inspect: from(() => import('./packet-show.ts'), 'inspect'),
  verify: from(store, 'verify'),
  diff: from(compare, 'diff'),
  cache: from(store, 'cache'),
  catalog: from(compare, 'catalog'),
  serve: from(() => import('./packet-serve.ts'), 'serve'),
}

export const run = async (invocation: Invocation): Promise<number> => {
  checkWords(invocation)
  return runVerb(VERBS, invocation)
}

import { optional } from '../kernel/optional.ts'
import { describeSandboxes } from './client-sandbox.ts'
import { SETUP_CLIENTS, type SetupClient } from './clients.ts'
import type { HookName } from './git-hooks/hook-script.ts'
import type { ReportedState } from './git-hooks/install-hooks.ts'
import type { HookSetup } from './hook-targets.ts'

interface EnforcementFacts {
  readonly clients: readonly SetupClient[]
  readonly hooks: HookSetup
  /** Whether git looks for hooks outside of the repository. */
  readonly outside: boolean
  /** The state of each hook after the files were written; undefined when they were not. */
  readonly states: Readonly<Record<HookName, ReportedState>> | undefined
  readonly strict: boolean
  readonly workflow: boolean
  /** Whether the sandboxes of the clients are set up. */
  readonly sandbox: boolean
  readonly keys: boolean
}

const ACTIVATE = {
  husky: 'npm run prepare',
  lefthook: 'lefthook install',
  'pre-commit': 'pre-commit install',
} as const

const agentsLine = (clients: readonly SetupClient[]): string =>
  clients.length === 0
    ? 'nothing is guarded: no client was found. Name yours: warrant init --clients claude'
    : clients.map((client) => SETUP_CLIENTS[client].enforced).join('\n')

const hookLine = (facts: EnforcementFacts, hook: HookName): string => {
  const { hooks, outside, states } = facts
  const { manager, file, active } = hooks
  if (outside)
    return 'nothing blocks: git looks for hooks outside of this repository (core.hooksPath). Call `warrant gate` there.'
  if (states !== undefined && states[hook] !== 'managed' && !(manager === 'pre-commit' && !active.has(hook)))
    return `nothing blocks: the hook ${hook} is ${states[hook]}. See \`warrant doctor\`.`
  if (manager === undefined || file === undefined) return `blocked by the hook ${hook}, in this clone`
  const own = manager === 'husky' ? `${file}/${hook}` : file
  // pre-commit refuses to run while its own file is changed and not staged.
  const staged = manager === 'pre-commit' ? `; stage that file with your next commit` : ''
  if (active.has(hook)) return `blocked by ${manager} (${own})${staged}`
  if (manager !== 'pre-commit')
    return `blocked by the hook ${hook}; after \`${ACTIVATE[manager]}\` by ${manager} (${own})`
  return hook === 'pre-push'
    ? `blocked by the hook ${hook}, in this clone`
    : `nothing blocks before \`${ACTIVATE[manager]}\`; then ${manager} does (${own})${staged}`
}

/** What a colleague who lacks the program meets. */
const colleagueLine = ({ hooks: { manager }, strict, workflow }: EnforcementFacts): string | undefined => {
  if (manager === undefined) return undefined
  if (strict) return 'a commit without Warrant installed is refused (--strict)'
  return workflow
    ? 'a commit without Warrant installed passes with one line; CI judges it'
    : 'a commit without Warrant installed passes with one line, and is not judged: there is no CI job'
}

/** What is enforced where, a line each. */
export const writeEnforcement = (facts: EnforcementFacts): Readonly<Record<string, string>> => ({
  agents: agentsLine(facts.clients),
  ...(facts.sandbox && { sandbox: describeSandboxes(facts.clients) }),
  commit: hookLine(facts, 'pre-commit'),
  push: hookLine(facts, 'pre-push'),
  ...optional({ colleagues: colleagueLine(facts) }),
  CI: facts.workflow
    ? 'judged by .github/workflows/warrant.yml. Make its job a required check of the branch.'
    : 'nothing judges: add --action OWNER/REPOSITORY@COMMIT for a workflow, or run `warrant gate --stage CI` there.',
  receipts: facts.keys
    ? 'required: .warrant/keys.yml lists whose receipts count.'
    : 'made for every commit, not required. To require them: warrant receipts require',
})

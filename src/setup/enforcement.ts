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
    ? 'not enforced: no client was found; name yours: warrant init --clients claude'
    : clients.map((client) => `${client} ${SETUP_CLIENTS[client].enforced}`).join('. ')

const hookLine = (facts: EnforcementFacts, hook: HookName): string => {
  const { hooks, outside, states } = facts
  const { manager, file, active } = hooks
  if (outside)
    return 'not enforced: git looks for hooks outside of this repository (core.hooksPath); call `warrant gate` there'
  if (states !== undefined && states[hook] !== 'managed' && !(manager === 'pre-commit' && !active.has(hook)))
    return `not enforced: the hook ${hook} is ${states[hook]}; see above, and \`warrant doctor\``
  if (manager === undefined || file === undefined) return `refused by the hook ${hook}`
  const own = manager === 'husky' ? `${file}/${hook}` : file
  // pre-commit refuses to run while its own file is changed and not staged.
  const staged = manager === 'pre-commit' ? `; stage that file with your next commit` : ''
  if (active.has(hook)) return `refused by ${manager} (${own})${staged}`
  if (manager !== 'pre-commit')
    return `refused by the hook ${hook}; by ${manager} (${own}) after \`${ACTIVATE[manager]}\``
  return hook === 'pre-push'
    ? `refused by the hook ${hook}`
    : `not enforced in this clone before \`${ACTIVATE[manager]}\`; then refused by ${manager} (${own})${staged}`
}

/** What is enforced where, in five lines. */
export const writeEnforcement = (facts: EnforcementFacts): Readonly<Record<string, string>> => ({
  agents: agentsLine(facts.clients),
  ...(facts.sandbox && { sandbox: describeSandboxes(facts.clients) }),
  commit: hookLine(facts, 'pre-commit'),
  push: hookLine(facts, 'pre-push'),
  CI: facts.workflow
    ? 'judged by .github/workflows/warrant.yml; make its job a required check of the branch'
    : 'not enforced: add --action OWNER/REPOSITORY@COMMIT to create a workflow, or run `warrant gate --stage CI` there',
  receipts: facts.keys
    ? 'asked of each pushed commit as soon as .warrant/keys.yml is committed'
    : 'not asked for: .warrant/keys.yml lists no key',
})

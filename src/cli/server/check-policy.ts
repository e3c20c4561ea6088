import { resolve } from 'node:path'
import type { Config } from '../../app/config/settings.ts'
import { requireUsablePolicy } from '../../app/open/read-policy.ts'
import { Fault } from '../../kernel/fault.ts'
import { findRepositoryRoot } from '../../platform/git/find-root.ts'

/** Whether the gate can use the policy files of the repository. */
export const checkPolicy = async ({ root }: Pick<Config, 'root'>) => {
  const repository = await findRepositoryRoot(resolve(root))
  if (repository === undefined) return { ok: true, detail: 'no repository here' }
  try {
    await requireUsablePolicy(repository, process.env)
    return { ok: true, detail: 'policy, rules and baseline can be read' }
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown
    return { ok: false, detail: thrown.message, fix: thrown.fix }
  }
}

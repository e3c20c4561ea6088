import type { Config } from '../../app/config/settings.ts'
import {
  describeFetch,
  describeKey,
  describeWitness,
  type ReceiptState,
  readReceiptState,
} from '../../app/open/receipts/receipt-state.ts'
import { openRepositoryForCommand } from '../../app/open/repository.ts'
import { Fault } from '../../kernel/fault.ts'
import type { DoctorFinding } from './doctor.ts'

const findProblem = ({ key, fetched, unfetched }: ReceiptState): string | undefined => {
  if (key === 'unlisted' || key === 'revoked')
    return 'A person who holds a listed key adds this one: warrant keys add --owner NAME, then commit .warrant/keys.yml.'
  if (fetched.length === 0 && unfetched.length > 0)
    return 'Run `warrant install`, so that `git fetch` brings the receipts of others.'
  return undefined
}

/** Whether the receipts of this machine count, and whether those of others arrive. */
export const checkReceiptSetup = async (config: Config): Promise<Omit<DoctorFinding, 'check'>> => {
  try {
    const context = await openRepositoryForCommand(config).catch(() => undefined)
    if (context === undefined) return { ok: true, detail: 'no repository here' }
    const { root, git, signal } = context
    const state = await readReceiptState({ root, config, git, signal })
    if (state.keys === 0) return { ok: true, detail: 'no .warrant/keys.yml, so no receipt is asked for' }
    const detail = `this machine's key: ${describeKey(state)}; fetched from: ${describeFetch(state)}; log: ${describeWitness(state)}`
    const fix = findProblem(state)
    return { ok: true, detail, ...(fix !== undefined && { severity: 'warning', fix }) }
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown
    return { ok: false, detail: thrown.message, fix: thrown.fix }
  }
}

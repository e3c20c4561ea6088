import type { OpenGate } from '../../app/open/gate.ts'
import { GATE_STAGES, type GateStage } from '../../evidence/stage.ts'
import { isEmptyRange, pushedRefScopes, readRange } from '../../gate/facts/scope.ts'
import type { Scope } from '../../gate/ports.ts'
import { type Invocation, usageFaults } from '../command/command.ts'
import { textFlag } from '../command/subcommand.ts'
import { inferStage } from './infer-stage.ts'
import { CHANGE_SCOPES } from './options.ts'

/** Never aborted: the command runs until it is done. */
const NO_ABORT = new AbortController().signal

export const readChoice = <const T extends string>(all: readonly T[], value: string, flag: string): T => {
  const found = all.find((one) => one === value)
  if (found === undefined) throw usageFaults.option(`--${flag} must be one of ${all.join(', ')}`)
  return found
}

/** The files to check, when the options name them. */
export const pickScope = (invocation: Invocation): Scope | undefined => {
  const range = textFlag(invocation, 'range')
  const scope = textFlag(invocation, 'scope')
  const all = invocation.flags.all === true
  if ([range, scope, all || undefined].filter((one) => one !== undefined).length > 1) {
    throw usageFaults.option('choose one of --range, --scope, --all')
  }
  if (all) return { kind: 'repository' }
  if (scope !== undefined) return { kind: readChoice(CHANGE_SCOPES, scope, 'scope') }
  if (range === undefined) return undefined
  const read = readRange(range)
  if (read === undefined) throw usageFaults.option('--range must be two commits, such as origin/main..HEAD')
  return read
}

/** Whether findings on unchanged lines count; undefined when the stage decides. */
export const pickChangedLines = ({ flags }: Invocation): boolean | undefined => {
  const [on, off] = [flags['changed-lines'] === true, flags['no-changed-lines'] === true]
  if (on && off) throw usageFaults.option('choose one of --changed-lines, --no-changed-lines')
  if (on && flags.all === true)
    throw usageFaults.option(
      '--changed-lines cannot be combined with --all: there is no change to compare with',
    )
  return on || off ? on : undefined
}

export const pickStage = async (
  invocation: Invocation,
  scope: Scope | undefined,
  { ports }: OpenGate,
): Promise<{ readonly stage: GateStage; readonly scope: Scope | undefined }> => {
  const given = textFlag(invocation, 'stage')
  if (given !== undefined) return { stage: readChoice(GATE_STAGES, given.toUpperCase(), 'stage'), scope }
  const inferred = await inferStage(process.env, () => ports.git.state(NO_ABORT))
  // A range without commits judges nothing. Frameworks run no hook for it, so it was set by hand.
  const named = inferred.scope && !(await isEmptyRange(ports.git, inferred.scope, NO_ABORT))
  return { stage: inferred.stage, scope: scope ?? (named ? inferred.scope : undefined) }
}

/** What is judged, one after the other: a push may send several refs. An undefined scope is that of the stage. */
export const pickScopes = async (
  invocation: Invocation,
  { stage, scope }: { readonly stage: GateStage; readonly scope: Scope | undefined },
  { ports }: OpenGate,
): Promise<readonly (Scope | undefined)[]> => {
  if (stage !== 'PRE_PUSH' || scope !== undefined) return [scope]
  const refs = await (await import('./push-refs.ts')).readPushedRefs()
  const remote = textFlag(invocation, 'remote') ?? 'origin'
  return refs === undefined ? [undefined] : pushedRefScopes({ git: ports.git, remote }, refs, NO_ABORT)
}

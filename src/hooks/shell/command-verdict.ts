/** Why a command is not simply run. */
export interface CommandVerdict {
  /** `ask`: whether it is harmless depends on what is known only when it runs. */
  readonly decision: 'deny' | 'ask'
  /** The kind of reason, for the log. */
  readonly rule: CommandRule
  readonly reason: string
}

export type CommandRule =
  | 'hooks-skipped'
  | 'hooks-moved'
  | 'commit-by-plumbing'
  | 'own-file'
  | 'own-command'
  | 'unreadable'
  | 'undecided'

export const deny = (rule: CommandRule, reason: string): CommandVerdict => ({
  decision: 'deny',
  rule,
  reason,
})

export const ask = (reason: string, rule: CommandRule = 'undecided'): CommandVerdict => ({
  decision: 'ask',
  rule,
  reason,
})

/** The verdict that counts: the first refusal, or else the first question. */
export const worstVerdict = (verdicts: readonly CommandVerdict[]): CommandVerdict | undefined =>
  verdicts.find(({ decision }) => decision === 'deny') ?? verdicts[0]

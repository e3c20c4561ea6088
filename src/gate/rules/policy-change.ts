/** What a change alters in a file that decides how changes are judged. */
export interface PolicyChange {
  readonly file: string
  readonly effect: string
  /** Whether later changes would be judged less strictly. */
  readonly weaker: boolean
  /** It adds a key, which a listed developer may do in a commit of its own. */
  readonly addsKey?: boolean
  /** Not of the change itself: of the environment. */
  readonly fromEnvironment?: boolean
}

const MAX_EFFECTS = 5

/** Several effects as one text. */
export const listEffects = (effects: readonly string[]): string => {
  const rest = effects.length - MAX_EFFECTS
  return `${effects.slice(0, MAX_EFFECTS).join('; ')}${rest > 0 ? `; ${rest} more` : ''}`
}

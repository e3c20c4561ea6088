/** Whose work a key signs. */
export const KEY_ROLES = ['developer', 'agent', 'ci'] as const
export type KeyRole = (typeof KEY_ROLES)[number]

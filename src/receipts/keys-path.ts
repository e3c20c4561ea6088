/** Whose work a key signs. */
export const KEY_ROLES = ['developer', 'agent', 'ci'] as const
export type KeyRole = (typeof KEY_ROLES)[number]

/** The keys whose receipts a repository trusts, committed with it. */
export const KEYS_FILE = '.warrant/keys.yml'
export const MAX_KEYS_BYTES = 256 * 1024

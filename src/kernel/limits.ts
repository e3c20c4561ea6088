/** Limits of all surfaces and tools. Settings may lower or raise them. */
export interface Limits {
  /** Longest line accepted on stdio, in bytes. */
  readonly lineBytes: number
  /** Largest body accepted on the MCP endpoint, in bytes. */
  readonly bodyBytes: number
  /** Largest answer a tool may give, in bytes of JSON. */
  readonly answerBytes: number
  /** Longest a call may run, in milliseconds. */
  readonly callMs: number
  /** How long to wait for running calls when the client disconnects, in milliseconds. */
  readonly drainMs: number
}

const MiB = 1024 * 1024

export const DEFAULT_LIMITS: Limits = {
  lineBytes: 4 * MiB,
  bodyBytes: 4 * MiB,
  // About 25,000 tokens, where common clients truncate an answer.
  answerBytes: 100_000,
  // Clients time out after 60 s; our fault must arrive before.
  callMs: 50_000,
  drainMs: 10_000,
}

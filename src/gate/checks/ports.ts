import type { CheckOutput } from './readers/reader.ts'

/** How much of each pipe of a command is kept: the rest is read, counted and dropped. */
export const MAX_PIPE_BYTES = 10 * 1024 * 1024

export interface CommandRequest {
  readonly run: string
  /** Names of variables that it gets besides the usual ones. */
  readonly env: readonly string[]
  readonly timeoutMs: number
  /** Whether it gets a file `$OUT` for its results. */
  readonly writesFile: boolean
}

export interface CommandResult {
  /** `killed`: by a signal that was not ours. `size`: its file grew beyond the limit. */
  readonly ended: 'exit' | 'killed' | 'timeout' | 'size' | 'cancelled'
  /** Undefined unless it ended by itself. */
  readonly exitCode: number | undefined
  /** The start of stdout, and how many bytes were left out. */
  readonly stdout: Uint8Array
  readonly omitted: number
  /** The last bytes of stdout and of stderr. */
  readonly lastOutput: string
  readonly lastErrors: string
  /** The file `$OUT`; undefined when it was not written, or is not a regular file. */
  readonly file: Uint8Array | undefined
  readonly ms: number
}

/** Results by key. Kept outside of the repository: an entry that came with it could make a check pass. */
export interface CheckCache {
  /** Undefined when there is none, or when it is damaged. */
  read(key: string): Promise<CheckOutput | undefined>
  write(key: string, output: CheckOutput): Promise<void>
}

/** Who allowed a checks file: a person on this machine, or an option of this run. */
export type CheckConsent = 'user' | 'option'

export interface CheckPorts {
  /** The root of the repository, absolute. */
  readonly root: string
  /** Why no command is run at all, such as read-only mode; undefined when commands may run. */
  readonly refusal: string | undefined
  /** Whether a person allowed a checks file with one of these digests. */
  readonly consent: (digests: readonly string[]) => Promise<CheckConsent | undefined>
  /** Runs a command line in the root by a shell, in an environment of its own. */
  readonly runCommand: (request: CommandRequest, signal: AbortSignal) => Promise<CommandResult>
  /** The digest of the variables that a command gets. */
  readonly environmentDigest: (names: readonly string[]) => string
  readonly cache: CheckCache
  /** How many commands may run at a time. */
  readonly places: number
}

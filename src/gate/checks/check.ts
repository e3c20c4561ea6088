import type { Severity } from '../../evidence/schema.ts'
import type { GateStage } from '../../evidence/stage.ts'
import { EVIDENCE_FILE } from '../../evidence/store.ts'
import { compileBraceGlob } from '../../kernel/text/glob.ts'
import type { ReaderName } from './readers/check-readers.ts'
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

/** The file in which a repository declares its checks. */
export const CHECKS_FILE = '.warrant/checks.yml'
/** Begins the source of findings that a check reports. */
export const RESULT_SOURCE = 'check:'
/** The source of findings about checks that gave no result. */
export const CHECK_SOURCE = 'gate-checks'

export const MAX_CHECKS_BYTES = 64 * 1024

/** Which results of a check count. Results about no file always count. */
export const CHECK_SCOPES = ['changed-lines', 'changed-files', 'all'] as const
export type CheckScope = (typeof CHECK_SCOPES)[number]

/** Least coverage in percent: of all lines, of all branches, of the lines that the change touched. */
type CoverageThresholds = Readonly<Partial<Record<'lines' | 'branches' | 'changed-lines', number>>>

/** A command that a repository declares, and how its output is read. */
export interface Check {
  readonly name: string
  /** Its line in the checks file. */
  readonly line: number
  /** The command line, for a shell. It may write its results to the file `$OUT`. */
  readonly run: string
  readonly reads: ReaderName
  readonly stages: readonly GateStage[]
  /** Globs of the files that it depends on; undefined for all. */
  readonly paths?: readonly string[]
  readonly timeoutMs: number
  /** Severities by level of the tool, in lower case. */
  readonly severity: Readonly<Record<string, Severity | 'OFF'>>
  readonly only: CheckScope
  /** Names of variables of the environment that it gets besides the usual ones. */
  readonly env: readonly string[]
  readonly thresholds?: CoverageThresholds
  /** The command that prints the version of the tool. */
  readonly version?: string
  /** How a person installs the tool. It is shown and never run. */
  readonly install?: string
}

/** A valid checks file. `digest` is that of its text: what a person allows. */
export interface ChecksFile {
  readonly digest: string
  readonly checks: readonly Check[]
}

/** A check that judges a change, and where it is declared. */
export interface RequiredCheck {
  readonly check: Check
  /** Digests of the files that declare it so: of the base, of the change, or of both. It may run if one is allowed. */
  readonly digests: readonly string[]
  /** Declared so only before the change. */
  readonly ofBase: boolean
}

/**
 * Whether a file matters to a check. Files of the root folder always do: manifests, lock files, configuration. What the
 * gate itself writes never does.
 */
export const concernsPath = ({ paths }: Pick<Check, 'paths'>): ((path: string) => boolean) => {
  const tests = paths?.map((glob) => compileBraceGlob(glob))
  return (path) => {
    if (path === EVIDENCE_FILE || path.startsWith('.warrant/')) return false
    const segments = path.split('/')
    return tests === undefined || segments.length === 1 || tests.some((test) => test(segments))
  }
}

/** Whether the command writes its results to a file. */
export const writesFile = ({ run }: Pick<Check, 'run'>): boolean => /\$(OUT\b|\{OUT\})|%OUT%/.test(run)

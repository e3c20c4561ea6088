import type { GuardChange } from './guard.ts'
import type { ProposedFile } from './proposed-change.ts'
import type { CommandRule } from './shell/command-verdict.ts'

/** Where a path leads, after links. */
interface FilePlace {
  /** Absolute, with links followed. */
  readonly real: string
  /** Relative to the root; undefined outside of it. */
  readonly path: string | undefined
}

/** What the decisions need from the machine. */
export interface AgentHookPorts {
  /** The root of the repository, absolute and without links. */
  readonly root: string
  readonly home: string
  /** The working folder of this process. */
  readonly cwd: string
  /** Where an absolute path leads. */
  readonly locate: (path: string) => Promise<FilePlace>
  /** The bytes of a regular file; undefined where there is none. A fault where it cannot be read. */
  readonly read: (path: string) => Promise<Uint8Array | undefined>
  /** Paths of this program: hooks, keys, policy, state, and settings of clients that contain our entry; absolute. */
  readonly ownPaths: () => Promise<readonly string[]>
  /** Compares what makes the gate run with what the event before found, and puts back what it can. */
  readonly compareGuard: () => Promise<GuardChange | undefined>
  /** Judges files as a tool would leave them, against those on disk. */
  readonly judge: JudgeFiles
  /** Judges files as they are on disk, against the last commit. */
  readonly judgeWritten: JudgeFiles
  /** Judges everything that a commit could take along. */
  readonly judgeCommit: () => Promise<JudgedFiles>
  /** Whether the present files have a verdict; for the end of a turn and the start of a session. */
  readonly state: () => Promise<GateState>
}

export interface WriteFinding {
  readonly ruleId: string
  readonly severity: string
  readonly file: string
  readonly line: number | undefined
  readonly message: string
  readonly why: string | undefined
  readonly fix: string | undefined
}

export interface JudgedFiles {
  readonly blocking: readonly WriteFinding[]
  /** Exceptions that the files add: comments and entries that accept findings. */
  readonly exceptions: readonly WriteFinding[]
  readonly others: readonly WriteFinding[]
}

type JudgeFiles = (files: readonly ProposedFile[]) => Promise<JudgedFiles>

/** What the gate says of the working tree. */
export interface GateState {
  /** Whether git knows changes that are not committed. */
  readonly isChanged: boolean
  readonly isAllowed: boolean
  /** One line about the verdict. */
  readonly verdict: string
  /** Findings of the newest run that are open. */
  readonly findings: number
  /** What has to be done, one line. */
  readonly required: string
}

/** What the hook answers. */
export type HookDecision =
  | { readonly kind: 'allow' }
  /** Text for the agent. */
  | { readonly kind: 'tell'; readonly text: string }
  | {
      readonly kind: 'deny' | 'ask'
      readonly rule: HookRule
      /** Rules of the findings. */
      readonly rules?: readonly string[]
      readonly text: string
    }
  /** The agent goes on at the end of its turn. */
  | { readonly kind: 'continue'; readonly text: string }

/** Why something is refused, for the log. */
type HookRule = CommandRule | 'finding' | 'exception' | 'guard' | 'invalid' | 'timeout' | 'failure'

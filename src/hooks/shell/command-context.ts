import type { CommandVerdict } from './command-verdict.ts'
import type { ShellField, ShellScope } from './shell-scope.ts'
import type { ShellCommand } from './split-commands.ts'

/** What a judgement knows of the machine. What it does not know yet it asks for. */
export interface ShellKnowledge {
  /** Absolute paths of our files and folders: hooks, keys, policy, state. */
  readonly ownPaths: readonly string[]
  /** Texts of scripts by absolute path; undefined for one that is no readable text. */
  readonly scripts: ReadonlyMap<string, string | undefined>
  /** Aliases of git by name; undefined where there is none. */
  readonly aliases: ReadonlyMap<string, string | undefined>
}

/** A command without the programs that only start it, such as `env` and `sudo`. */
export interface PlainCommand {
  /** The name of the program without its folder. */
  readonly name: string
  readonly args: readonly ShellField[]
  /** Variables that it gets. */
  readonly environment: ReadonlyMap<string, ShellField>
  /** Whether further arguments come from its input, by `xargs`. */
  readonly takesMore: boolean
  readonly source: ShellCommand
}

export interface CommandContext {
  readonly scope: ShellScope
  readonly knowledge: ShellKnowledge
  readonly depth: number
  readonly add: (...verdicts: readonly CommandVerdict[]) => void
  /** Judges a program in the same context. */
  readonly judge: (script: string) => void
  /** Judges a program in a context of its own, such as that of `sh -c`. */
  readonly judgeApart: (script: string) => void
  /** Judges a command that another one starts. */
  readonly start: (fields: readonly ShellField[], command: PlainCommand) => void
  /** The text of a script; it is asked for where it is not known yet. */
  readonly script: (path: string) => string | undefined
  readonly alias: (name: string) => string | undefined
}

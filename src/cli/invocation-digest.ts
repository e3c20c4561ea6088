import { digestArguments } from '../kernel/record-call.ts'
import type { Invocation } from './command/command.ts'

/** The digest of what a command was started with, for its entry in the log. */
export const digestInvocation = ({ flags, lists, positionals }: Invocation): string =>
  digestArguments({ flags, lists, positionals })

import type * as z from 'zod'
import type { Completer } from './resource.ts'
import type { CallContext, Content } from './tool.ts'

export interface PromptMessage {
  readonly role: 'user' | 'assistant'
  readonly content: Content
}

type Messages = readonly PromptMessage[] | Promise<readonly PromptMessage[]>

/** A prompt that a user can start a conversation from. MCP allows only strings as arguments. */
export interface Prompt {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly args: z.ZodObject
  get(args: object, call: CallContext): Messages
  readonly complete?: Completer
}

export const definePrompt = <A extends z.ZodObject>(
  def: Omit<Prompt, 'args' | 'get'> & {
    readonly args: A
    readonly get: (args: z.output<A>, call: CallContext) => Messages
  },
): Prompt => def

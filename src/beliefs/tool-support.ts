import type { Json, JsonObject } from '../kernel/encoding/json.ts'
import type { Content, Tool } from '../kernel/tool.ts'
import type { MaybePromise } from '../lineage/store.ts'
import type { Beliefs } from './beliefs.ts'
import { sanitize } from './input/sanitize.ts'

/** The version older clients look for on every tool. */
const VERSION = '0.3.0'

/** What listings say of a tool beyond the protocol. */
export const beliefListingMeta = (
  sideEffects: readonly string[],
  dependencies: readonly string[] = [],
): JsonObject => ({
  version: VERSION,
  sideEffects,
  dependencies,
})

/** The second line beside the schema: names that must never leave do not, wherever they came from. */
export const withRedaction = (tool: Tool): Tool => ({
  ...tool,
  redact: (answer) => sanitize(answer as Json).value,
})

export type AskGraph = <T>(question: (beliefs: Beliefs) => Promise<T>) => Promise<T>

/** Asks the graph, which is there at once when it is open. */
export const askGraph =
  (open: () => MaybePromise<Beliefs>): AskGraph =>
  (question) => {
    const beliefs = open()
    return beliefs instanceof Promise ? beliefs.then(question) : question(beliefs)
  }

/** Older clients read the text, indented by two. */
export const asText = (value: unknown): readonly Content[] => [
  { type: 'text', text: JSON.stringify(value, null, 2) },
]

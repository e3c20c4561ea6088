import type { Json, JsonObject } from '../kernel/encoding/json.ts'
import type { Content, Tool } from '../kernel/tool.ts'
import type { MaybePromise } from '../lineage/store.ts'
import type { Beliefs } from './beliefs.ts'
import { sanitize } from './input/sanitize.ts'

/** Version that clients of scg-mcp-server expect on every tool. */
const VERSION = '0.3.0'

/** Additional fields in `tools/list`, known to clients of scg-mcp-server. */
export const beliefListingMeta = (
  sideEffects: readonly string[],
  dependencies: readonly string[] = [],
): JsonObject => ({
  version: VERSION,
  sideEffects,
  dependencies,
})

/** Second defence after the output schema: removes members with forbidden names from every answer. */
export const withRedaction = (tool: Tool): Tool => ({
  ...tool,
  redact: (answer: Json) => sanitize(answer).value,
})

/** Says beside every answer that the log was found damaged: what is read may be old. */
export const withQuarantine =
  (open: () => MaybePromise<Beliefs>) =>
  (tool: Tool): Tool => ({
    ...tool,
    warning: () => {
      const beliefs = open()
      const reason = beliefs instanceof Promise ? null : beliefs.graphStore.replica.quarantine
      return reason === null
        ? undefined
        : `Quarantined: ${reason}. The values above may be old or incomplete, and nothing is written. \`warrant log verify --graph NAME\` says what to do.`
    },
  })

export type AskGraph = <T>(question: (beliefs: Beliefs) => Promise<T>) => Promise<T>

/** Runs a question on the graph, synchronously when the graph is already open. */
export const askGraph =
  (open: () => MaybePromise<Beliefs>): AskGraph =>
  (question) => {
    const beliefs = open()
    return beliefs instanceof Promise ? beliefs.then(question) : question(beliefs)
  }

/** Clients of scg-mcp-server parse this text: JSON indented by two spaces. */
export const asText = (value: unknown): readonly Content[] => [
  { type: 'text', text: JSON.stringify(value, null, 2) },
]

import { GO_CLIENTS } from './go-clients.ts'
import { GO_OTHER_STORES } from './go-document-stores.ts'
import { GO_KAFKA } from './go-messages.ts'
import { GO_QUEUES } from './go-queues.ts'
import { GO_ROUTER_SNIPPETS } from './go-routers.ts'
import { GO_SQL_STORES } from './go-stores.ts'
import type { FrameworkSnippets } from './snippet-corpus.ts'

export const GO_SNIPPETS: readonly FrameworkSnippets[] = [
  ...GO_ROUTER_SNIPPETS,
  ...GO_CLIENTS,
  ...GO_SQL_STORES,
  ...GO_OTHER_STORES,
  ...GO_KAFKA,
  ...GO_QUEUES,
]

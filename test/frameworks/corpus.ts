import { EXPRESS } from './express.ts'
import { GO_CLIENTS } from './go-clients.ts'
import { GO_OTHER_STORES } from './go-document-stores.ts'
import { GO_KAFKA } from './go-messages.ts'
import { GO_QUEUES } from './go-queues.ts'
import { GO_SQL_STORES } from './go-stores.ts'
import { KTOR_SNIPPETS } from './kotlin-ktor.ts'
import { PYTHON_HTTP_SNIPPETS } from './python-clients.ts'
import { PYTHON_DJANGO_SNIPPETS } from './python-django.ts'
import { PYTHON_ENDPOINT_SNIPPETS } from './python-endpoints.ts'
import { PYTHON_GRPC_SNIPPETS } from './python-grpc.ts'
import { PYTHON_MESSAGE_SNIPPETS } from './python-messages.ts'
import { PYTHON_STORE_SNIPPETS } from './python-stores.ts'
import type { FrameworkSnippets } from './snippet-corpus.ts'

/** The snippet corpus: every framework that the analysis recognizes. The table in the documentation is made of it. */
export const CORPUS: readonly FrameworkSnippets[] = [
  EXPRESS,
  ...GO_CLIENTS,
  ...GO_OTHER_STORES,
  ...GO_KAFKA,
  ...GO_QUEUES,
  ...GO_SQL_STORES,
  ...KTOR_SNIPPETS,
  ...PYTHON_ENDPOINT_SNIPPETS,
  ...PYTHON_DJANGO_SNIPPETS,
  ...PYTHON_HTTP_SNIPPETS,
  ...PYTHON_STORE_SNIPPETS,
  PYTHON_GRPC_SNIPPETS,
  ...PYTHON_MESSAGE_SNIPPETS,
]

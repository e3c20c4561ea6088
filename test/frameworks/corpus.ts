import { EXPRESS } from './express.ts'
import { KTOR_SNIPPETS } from './kotlin-ktor.ts'
import { PYTHON_HTTP_SNIPPETS } from './python-clients.ts'
import { PYTHON_MESSAGE_SNIPPETS } from './python-messages.ts'
import type { FrameworkSnippets } from './snippet-corpus.ts'

/** The snippet corpus: every framework that the analysis recognizes. The table in the documentation is made of it. */
export const CORPUS: readonly FrameworkSnippets[] = [
  EXPRESS,
  ...KTOR_SNIPPETS,
  ...PYTHON_HTTP_SNIPPETS,
  ...PYTHON_MESSAGE_SNIPPETS,
]

import { EXPRESS } from './express.ts'
import { GO_SNIPPETS } from './go-corpus.ts'
import { KTOR_SNIPPETS } from './kotlin-ktor.ts'
import type { FrameworkSnippets } from './snippet-corpus.ts'
import { SWIFT_SNIPPETS } from './swift-corpus.ts'

/** The snippet corpus: every framework that the analysis recognizes. The table in the documentation is made of it. */
export const CORPUS: readonly FrameworkSnippets[] = [
  EXPRESS,
  ...GO_SNIPPETS,
  ...KTOR_SNIPPETS,
  ...SWIFT_SNIPPETS,
]

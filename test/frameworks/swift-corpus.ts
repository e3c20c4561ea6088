import type { FrameworkSnippets } from './snippet-corpus.ts'
import { SWIFT_CLIENTS } from './swift-clients.ts'
import { SWIFT_STORE_SNIPPETS } from './swift-stores.ts'
import { VAPOR_SNIPPETS } from './swift-vapor.ts'

export const SWIFT_SNIPPETS: readonly FrameworkSnippets[] = [
  ...VAPOR_SNIPPETS,
  ...SWIFT_CLIENTS,
  ...SWIFT_STORE_SNIPPETS,
]

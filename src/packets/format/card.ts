/** `cpm.yml`: ten flat lines about the packet, for people and old readers. */
interface Card {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly tags: readonly string[]
  readonly entrypoints: readonly string[]
  readonly model: string
  readonly dim: number
  readonly normalized: boolean
  /** RFC 3339 in UTC with microseconds. */
  readonly createdAt: string
}

const NEEDS_QUOTES = /[:#\t\n"]/
const KNOWN_BREAKS = /[\r\n\v\f\u0085\u2028\u2029]+/g

// Readers work line by line: a line break in a description could forge another key.
const writeValue = (value: string): string => {
  const flat = value.replace(KNOWN_BREAKS, ' ').trim()
  return NEEDS_QUOTES.test(value) ? `"${flat.replaceAll('"', '\\"')}"` : flat
}

export const writeCard = (card: Card): string =>
  [
    ['cpm_schema', '1'],
    ['name', card.name],
    ['version', card.version],
    ['description', card.description],
    ['tags', card.tags.join(',')],
    ['entrypoints', card.entrypoints.join(',')],
    ['embedding_model', card.model],
    ['embedding_dim', String(card.dim)],
    ['embedding_normalized', String(card.normalized)],
    ['created_at', card.createdAt],
  ]
    .map(([key = '', value = '']) => `${key}: ${key === 'created_at' ? value : writeValue(value)}\n`)
    .join('')

const readValue = (text: string): string => {
  const quote = text[0]
  if (text.length < 2 || (quote !== '"' && quote !== "'") || !text.endsWith(quote)) return text
  const inner = text.slice(1, -1)
  return quote === '"' ? inner.replaceAll('\\"', '"') : inner
}

/** Keys and values of a flat `cpm.yml`. Lines without a colon are ignored. */
export const readCard = (text: string): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  for (const line of text.split(/\r?\n/)) {
    const colon = line.indexOf(':')
    if (colon === -1 || line.trim().startsWith('#')) continue
    found.set(line.slice(0, colon).trim(), readValue(line.slice(colon + 1).trim()))
  }
  return found
}

/** Tags by file extension. */
const TAGS: Readonly<Record<string, string>> = {
  '.py': 'python',
  '.js': 'javascript',
  '.ts': 'typescript',
  '.tsx': 'typescript',
  '.java': 'java',
  '.kt': 'kotlin',
  '.go': 'go',
  '.rs': 'rust',
  '.c': 'cpp',
  '.cpp': 'cpp',
  '.h': 'cpp',
  '.cs': 'csharp',
  '.md': 'docs',
  '.rst': 'docs',
  '.txt': 'docs',
}

/** The tags of a packet, from the extensions of its files. */
export const inferTags = (extensions: Iterable<string>): readonly string[] =>
  [...new Set(['cpm', ...[...extensions].flatMap((one) => TAGS[one] ?? [])])].sort()

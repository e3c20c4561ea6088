/**
 * A service of some hundred lines as people write them, the same for the same number.
 *
 * @param {number} number
 */
export function sourceFile(number) {
  const parts = Array.from({ length: 3 + (number % 9) }, (_, index) => {
    const name = `item${number}x${index}`
    return `
/** Loads ${name} and remembers it. */
export async function ${name}(id: string, options: { force?: boolean } = {}): Promise<Item> {
  const known = cache.get(id)
  if (known !== undefined && options.force !== true) return known
  try {
    const answer = await client.get(\`/items/\${encodeURIComponent(id)}\`, { retries: ${index} })
    const item: Item = { id, title: answer.title.trim(), tags: answer.tags.map((tag) => tag.toLowerCase()) }
    cache.set(id, item)
    return item
  } catch (error) {
    ${(number + index) % 40 === 0 ? 'console.log(error)' : 'log.warn({ error, id }, "the item could not be loaded")'}
    throw new ItemError(id, { cause: error })
  }
}
`
  })
  return `import { client } from '../client.js'
import { log } from '../log.js'
import type { Item } from '../types.js'

const cache = new Map<string, Item>()

export class ItemError extends Error {
  constructor(readonly id: string, options?: ErrorOptions) {
    super(\`no item \${id}\`, options)
  }
}
${parts.join('')}`
}

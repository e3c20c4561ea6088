import type { Catalog } from '../kernel/catalog.ts'
import { digestJson } from '../kernel/encoding/hash.ts'
import { describeTool, type ListingOptions } from './listing.ts'

/** The digest of every tool as listed. A client can pin it to notice a changed definition. */
export const definitionDigests = (catalog: Catalog, options: ListingOptions = {}) =>
  catalog.listedTools.map((tool) => {
    const name = catalog.listed(tool)
    return { name, effect: tool.effect, sha256: digestJson(describeTool(tool, name, options)) }
  })

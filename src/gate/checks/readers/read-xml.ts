import { Fault } from '../../../kernel/fault.ts'
import { decodeLenient } from '../../../kernel/text/decode.ts'
import { type Element, walkXml, type XmlVisitor } from '../../../kernel/text/xml.ts'
import { CheckUnreadable } from './reader.ts'

/** Walks over the XML of a tool. A document type without declarations of its own is skipped, and never fetched. */
export const walkReport = (bytes: Uint8Array, visitor: XmlVisitor): void => {
  try {
    walkXml(decodeLenient(bytes), visitor, { doctype: 'skip' })
  } catch (cause) {
    if (cause instanceof Fault)
      throw new CheckUnreadable(`the output is not XML that is read: ${cause.message}`)
    throw cause
  }
}

export const attributeOf = (attributes: Element['attributes'], name: string): string | undefined =>
  attributes.find(([key, value]) => key === name && value !== '')?.[1]

const toReference = (char: string): string => `&#${char.charCodeAt(0)};`

/** Escapes text for HTML, SVG and quoted attributes by numeric references, which both HTML and XML know. */
export const escapeMarkup = (text: string): string => text.replace(/[&<>"'`]/g, toReference)

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

// Characters that XML 1.0 forbids even as references become the escape that programmers know.
const FORBIDDEN = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu

/** Escapes any text for XML 1.0. Tabs and line breaks become references: attributes would turn them into blanks. */
export const escapeXml = (text: string): string =>
  text
    .replace(FORBIDDEN, (char) => `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`)
    .replace(/[&<>"'\t\n\r]/g, (char) => ENTITIES[char] ?? toReference(char))

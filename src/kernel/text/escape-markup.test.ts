import { expect, it } from 'vitest'
import { escapeMarkup } from './escape-markup.ts'

it.each([
  ['a <b> & "c" \'d\' `e`', 'a &#60;b&#62; &#38; &#34;c&#34; &#39;d&#39; &#96;e&#96;'],
  ['ñ \u{1f600}', 'ñ \u{1f600}'],
])('writes %j as %j in HTML and SVG', (text, escaped) => {
  expect(escapeMarkup(text)).toBe(escaped)
})

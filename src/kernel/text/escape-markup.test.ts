import { expect, it } from 'vitest'
import { escapeMarkup, escapeXml } from './escape-markup.ts'

it.each([
  ['a <b> & "c" \'d\' `e`', 'a &#60;b&#62; &#38; &#34;c&#34; &#39;d&#39; &#96;e&#96;'],
  ['ñ \u{1f600}', 'ñ \u{1f600}'],
])('writes %j as %j in HTML and SVG', (text, escaped) => {
  expect(escapeMarkup(text)).toBe(escaped)
})

it.each([
  ['<a> & "b" \'c\'', '&lt;a&gt; &amp; &quot;b&quot; &apos;c&apos;'],
  ['a\tb\nc\rd', 'a&#9;b&#10;c&#13;d'],
  ['\u0000\u001b\ud800\ufffe', '\\u0000\\u001b\\ud800\\ufffe'],
  ['\u{1f600}', '\u{1f600}'],
])('writes %j as %j in XML', (text, escaped) => {
  expect(escapeXml(text)).toBe(escaped)
})

import { expect, it } from 'vitest'
import { escapeXml } from './junit.ts'

it.each([
  ['<a> & "b" \'c\'', '&lt;a&gt; &amp; &quot;b&quot; &apos;c&apos;'],
  ['a\tb\nc\rd', 'a&#9;b&#10;c&#13;d'],
  ['\u0000\u001b\ud800\ufffe', '\\u0000\\u001b\\ud800\\ufffe'],
  ['\u{1f600}', '\u{1f600}'],
])('writes %j as %j in XML', (text, escaped) => {
  expect(escapeXml(text)).toBe(escaped)
})

import { expect, it } from 'vitest'
import { digestBytes } from '../../kernel/encoding/hash.ts'
import type { Doc } from '../format/docs.ts'
import { verifyCitation } from './citation.ts'
import type { ReadPorts } from './read-document.ts'

const DIGEST = `sha256:${'a'.repeat(64)}`
const doc = (path: string, text: string, lines?: readonly [number, number]): Doc => ({
  id: `${path}:0`,
  text,
  metadata: { path, ...(lines && { line_start: lines[0], line_end: lines[1] }) },
})
const DOCS = [
  doc('a.md', 'one\ntwo', [1, 2]),
  doc('a.md', 'two\nthree', [2, 3]),
  doc('old.md', 'no numbers'),
  doc('with space #1.md', 'x', [1, 1]),
]
const ports = {
  store: { find: async (digest: string) => (digest === DIGEST ? '/folder' : undefined) },
  use: (_: string, __: string, work: (packet: unknown) => unknown) =>
    work({ docs: { rowsWith: async () => [...DOCS.keys()], row: async (at: number) => DOCS[at] } }),
} as unknown as ReadPorts
it.each<[string, string]>([
  ['a.md', 'one\ntwo\nthree'],
  ['a.md#L2', 'two'],
  ['a.md#L2-L3', 'two\nthree'],
  ['a.md#L1-3', 'one\ntwo\nthree'],
  ['old.md', 'no numbers'],
  ['with space #1.md#L1', 'x'],
])('%s is the text of these lines', async (path, text) => {
  const uri = `packet://${DIGEST}/${path}`
  expect(await verifyCitation(ports, uri)).toEqual({ uri, digest: digestBytes(text) })
})

it.each<[string, string]>([
  ['a.md#L1', 'is not a citation'],
  ['https://example.org/a.md', 'is not a citation'],
  [`packet://${DIGEST.toUpperCase()}/a.md`, 'is not a citation'],
  [`packet://${DIGEST}/`, 'is not a citation'],
  [`packet://${DIGEST}/a.md\n#L1`, 'is not a citation'],
  [`packet://${DIGEST}/${'a'.repeat(2000)}`, 'is not a citation'],
  [`packet://sha256:${'b'.repeat(64)}/a.md`, 'was not fetched here'],
  [`packet://${DIGEST}/b.md`, 'does not have'],
  [`packet://${DIGEST}/../a.md#L1`, 'does not have'],
  [`packet://${DIGEST}/a.md#L0`, 'has no such lines'],
  [`packet://${DIGEST}/a.md#L3-L2`, 'has no such lines'],
  [`packet://${DIGEST}/a.md#L2-L4`, 'cites line 4, and the document has 3 lines'],
  [`packet://${DIGEST}/old.md#L1`, 'does not number them'],
])('%j is refused', async (uri, words) => {
  await expect(verifyCitation(ports, uri)).rejects.toMatchObject({
    code: 'packet.citation',
    message: expect.stringContaining(words),
  })
})

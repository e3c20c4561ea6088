import { describe, expect, it } from 'vitest'
import { exemptionChanges, strangeEncodings } from './attributes.ts'

const ROOT = '.gitattributes'

describe('a change of attributes', () => {
  it.each([
    [
      'an exception that goes',
      '* linguist-generated\nsrc/** -linguist-generated\n',
      '* linguist-generated\n',
    ],
    [
      'an exception that loses its place',
      '* linguist-vendored\nsrc/** linguist-vendored=false\n',
      'src/** linguist-vendored=false\n* linguist-vendored\n',
    ],
    [
      'a line that comes back after an exception',
      'a filter=x\na -filter\n',
      'a filter=x\na -filter\na filter=x\n',
    ],
    ['another driver', '*.ts filter=x\n', '*.ts filter=y\n'],
    ['a pattern in quotes', '', '"src/a b.ts" ident\n'],
  ])('takes files from the rules: %s', (_, before, after) => {
    expect(exemptionChanges(ROOT, before, after)).toMatchObject([{ file: ROOT, weaker: true }])
  })

  it.each([
    ['an attribute that goes', 'src/** linguist-generated\n', ''],
    ['a new exception', '* linguist-generated\n', '* linguist-generated\nsrc/** -linguist-generated\n'],
    ['a comment', '', '# *.ts filter=x\n'],
    ['a name that is exempt anyway', '', 'go.sum linguist-generated\n*.min.js linguist-vendored\n'],
    ['other attributes', '', '*.ts text eol=lf diff=ts merge=union -whitespace\n'],
    ['files that are no programs', '', '*.png filter=lfs\n*.rc working-tree-encoding=UTF-16\n'],
  ])('leaves the rules as they are: %s', (_, before, after) => {
    expect(exemptionChanges(ROOT, before, after)).toEqual([])
  })

  it('says what is generated in the file of the root only', () => {
    expect(exemptionChanges('a/.gitattributes', '', '*.ts linguist-generated\n')).toEqual([])
    expect(exemptionChanges('a/.gitattributes', '', '*.ts filter=x\n')).toHaveLength(1)
    expect(exemptionChanges('a/notes.txt', '', '*.ts filter=x\n')).toEqual([])
  })
})

it('an encoding is strange where checkouts may hold other ASCII characters', () => {
  const strange = (pattern: string, name: string) =>
    strangeEncodings(ROOT, Buffer.from(`${pattern} working-tree-encoding=${name}\n`)).length > 0
  for (const name of ['UTF-8', 'utf-16', 'UTF-16LE-BOM', 'latin1', 'CP1252', 'ISO-8859-15', 'KOI8-R'])
    expect([name, strange('*.ts', name)]).toEqual([name, false])
  for (const name of ['IBM037', 'ASCII//TRANSLIT', 'UTF-7', 'UTF-32', 'ISO-2022-JP', 'nonsense'])
    expect([name, strange('*.txt', name)]).toEqual([name, true])
  for (const name of ['Shift_JIS', 'GBK', 'Big5', 'EUC-KR'])
    expect([name, strange('*.txt', name), strange('*.ts', name)]).toEqual([name, false, true])
})

import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { buildCatalog, type Selection, type Toolset } from './catalog.ts'
import { defineTool, NoInput } from './tool.ts'

const tool = (name: string, effect: 'read' | 'write' = 'read') =>
  defineTool({
    name,
    title: name,
    description: name,
    effect,
    input: NoInput,
    output: z.strictObject({}),
    run: () => ({}),
  })

const sets: Toolset[] = [
  { name: 'one', title: '', tools: [tool('a.read'), tool('a.write', 'write')], resources: [], prompts: [] },
  { name: 'two', title: '', tools: [tool('b_read'), tool('b_write', 'write')], resources: [], prompts: [] },
]
const everything: Selection = { toolsets: [], tools: [], excludeTools: [], readOnly: false }
const listed = (selection: Partial<Selection>, style?: 'dotted') => {
  const catalog = buildCatalog(sets, { ...everything, ...selection }, style)
  return catalog.tools.map((one) => catalog.listed(one))
}

describe('a catalog', () => {
  it.each<[string, Partial<Selection>, string[]]>([
    ['everything when nothing is said', {}, ['a_read', 'a_write', 'b_read', 'b_write']],
    ['one toolset', { toolsets: ['two'] }, ['b_read', 'b_write']],
    ['every toolset for "all"', { toolsets: ['all'] }, ['a_read', 'a_write', 'b_read', 'b_write']],
    ['named tools, under either spelling', { tools: ['a_read', 'b.write'] }, ['a_read', 'b_write']],
    ['all but the excluded', { excludeTools: ['a.read', 'b_read'] }, ['a_write', 'b_write']],
    ['no writer when read-only', { readOnly: true }, ['a_read', 'b_read']],
    [
      'no writer when read-only, though it was named',
      { readOnly: true, tools: ['a.write', 'b_read'] },
      ['b_read'],
    ],
    [
      'what is left of toolset, names and exclusions',
      { toolsets: ['one'], excludeTools: ['a_write'] },
      ['a_read'],
    ],
  ])('lists %s', (_, selection, names) => {
    expect(listed(selection)).toEqual(names)
  })

  it('lists dotted names when asked, and only where they were defined so', () => {
    expect(listed({}, 'dotted')).toEqual(['a.read', 'a.write', 'b_read', 'b_write'])
  })

  it('finds a tool under both spellings and nothing under the names of object members', () => {
    const catalog = buildCatalog(sets, everything)
    expect(catalog.find('a.read')).toBe(catalog.find('a_read'))
    for (const name of ['__proto__', 'constructor', 'toString', '', 'A_READ']) {
      expect(catalog.find(name)).toBeUndefined()
    }
  })

  it('does not find what the selection left out', () => {
    expect(buildCatalog(sets, { ...everything, readOnly: true }).find('a_write')).toBeUndefined()
  })

  it.each([
    [{ toolsets: ['three'] }, 'catalog.toolset_unknown'],
    [{ tools: ['c'] }, 'catalog.tool_unknown'],
    [{ excludeTools: ['c'] }, 'catalog.tool_unknown'],
  ])('refuses %j', (selection, code) => {
    expect(() => listed(selection)).toThrow(expect.objectContaining({ code }))
  })

  it('refuses two tools of one name', () => {
    const twice = [...sets, { name: 'three', title: '', tools: [tool('a_read')], resources: [], prompts: [] }]
    expect(() => buildCatalog(twice, everything)).toThrow(TypeError)
  })
})

import { describe, expect, it } from 'vitest'
import { composeServer } from '../src/app/compose.ts'
import { loadConfig } from '../src/app/config/load-config.ts'
import { UNIFIED_TOOLS } from '../src/app/unified/tool-table.ts'
import { HELP_TOOLS } from '../src/app/unified/tools.ts'
import {
  describeTool,
  listPrompts,
  listResources,
  listTemplates,
  listTools,
  toolCosts,
} from '../src/mcp/listing.ts'
import { definitionDigests } from '../src/mcp/tool-digests.ts'

/** What a client is shown. A change here is seen by every model, so it is made on purpose or not at all. */

const compose = (flags: Readonly<Record<string, string | boolean>>) =>
  composeServer(loadConfig(flags, { environment: {}, cwd: '/' }).config, {
    cwd: '/',
    environment: {},
    writeLog: () => {},
  })

const { catalog, listing } = compose({})
const everything = compose({ toolsets: 'all', 'output-schemas': true })
/** Every tool that can be called, with the schema of its answers, whether it is listed or not. */
const tools = everything.catalog.tools.map((tool) => describeTool(tool, everything.catalog.listed(tool)))
const listed = listTools(catalog, listing)

/** What the default list costs a model: names, descriptions and input schemas, in estimated tokens. */
const MAX_DEFAULT_TOKENS = 2_200
const MAX_DEFAULT_TOOLS = 14
/** The budget of everything at once with output schemas, and of its parts. */
const MAX_TOKENS = 18_000
const MAX_TOOLSET_TOKENS = 6_500
const MAX_TOOL_TOKENS = 700
const BYTES_PER_TOKEN = 3.5

/** SUBJECT_VERB, with the subject of the toolset. */
const GRAMMAR = /^(warrant|evidence|gate|project|belief|lineage|packet)_[a-z]+(_[a-z]+)*$/

type Schema = { readonly [key: string]: unknown }

const walk = (schema: unknown, visit: (schema: Schema) => void): void => {
  if (typeof schema !== 'object' || schema === null) return
  if (!Array.isArray(schema)) visit(schema as Schema)
  for (const member of Object.values(schema)) walk(member, visit)
}

describe('the tool list', () => {
  it.each(tools.map((tool) => [tool.name, tool] as const))(
    'shows %s as it was agreed',
    async (name, tool) => {
      await expect(JSON.stringify(tool, null, 2)).toMatchFileSnapshot(`snapshots/tools/${name}.json`)
    },
  )

  it('has the digests that were agreed', async () => {
    const lines = definitionDigests(catalog, listing).map(({ name, sha256 }) => `${sha256}  ${name}`)
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('snapshots/tools.sha256')
  })

  it('shows the resources and prompts as they were agreed', async () => {
    const rest = {
      resources: listResources(catalog),
      templates: listTemplates(catalog),
      prompts: listPrompts(catalog),
    }
    await expect(JSON.stringify(rest, null, 2)).toMatchFileSnapshot('snapshots/rest.json')
  })

  it('has at most 14 tools by default, which cost a model at most 2200 tokens', () => {
    const costs = toolCosts(catalog, [], listing)
    expect(costs.tokens).toBeLessThanOrEqual(MAX_DEFAULT_TOKENS)
    expect(listed.length).toBeLessThanOrEqual(MAX_DEFAULT_TOOLS)
    expect(costs.bytes).toBe(listed.reduce((sum, tool) => sum + JSON.stringify(tool).length, 0))
    expect(listed.filter(({ outputSchema }) => outputSchema !== undefined)).toEqual([])
  })

  it('stays within its token budget with every tool and output schema', () => {
    const { toolsets } = everything
    const costs = toolCosts(everything.catalog, toolsets)
    const tokensOf = (bytes: number) => Math.ceil(bytes / BYTES_PER_TOKEN)
    expect(tokensOf(costs.bytes)).toBeLessThanOrEqual(MAX_TOKENS)
    expect(costs.tools.filter(({ bytes }) => tokensOf(bytes) > MAX_TOOL_TOKENS)).toEqual([])
    for (const { name } of toolsets) {
      const share = costs.tools.filter(({ toolset }) => toolset === name)
      const tokens = share.reduce((sum, { bytes }) => sum + tokensOf(bytes), 0)
      expect([name, tokens <= MAX_TOOLSET_TOKENS]).toEqual([name, true])
    }
  })

  it('speaks one grammar', () => {
    const names = everything.catalog.listedTools.map(everything.catalog.listed)
    expect(names.filter((name) => !GRAMMAR.test(name))).toEqual([])
  })

  it('knows every former name, and lists none of them', () => {
    const former = Object.keys(UNIFIED_TOOLS)
    expect(former.filter((name) => catalog.find(name) === undefined)).toEqual([])
    const renamed = Object.entries(UNIFIED_TOOLS).flatMap(([name, { name: now }]) =>
      now === undefined || now === name.replaceAll('.', '_') ? [] : [name.replaceAll('.', '_')],
    )
    expect(renamed.length).toBeGreaterThan(20)
    expect(everything.catalog.listedTools.map(everything.catalog.listed)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(new RegExp(`^(${renamed.join('|')})$`))]),
    )
  })

  it('has every tool that the help names', () => {
    expect(HELP_TOOLS.filter((name) => catalog.find(name) === undefined)).toEqual([])
    const unnamed = listed.map(({ name }) => name).filter((name) => !HELP_TOOLS.includes(name))
    expect(unnamed).toEqual(['warrant_help'])
  })

  it('starts with a tool that needs no arguments, as some checkers call the first', () => {
    expect(tools[0]?.inputSchema.required ?? []).toEqual([])
  })
})

describe.each(tools)('$name', (tool) => {
  it('has a title, a description, and all four hints', () => {
    expect(tool.title).toMatch(/^[A-Z].{2,40}$/)
    expect(tool.description).toMatch(/^[A-Z][\s\S]{40,400}\.$/)
    expect(Object.keys(tool.annotations).sort()).toEqual([
      'destructiveHint',
      'idempotentHint',
      'openWorldHint',
      'readOnlyHint',
    ])
  })

  it('has a name every model API takes', () => {
    expect(tool.name).toMatch(/^[a-zA-Z0-9_-]{1,50}$/)
  })

  it('has schemas that every common model API takes', () => {
    const flaws: string[] = []
    for (const key of ['anyOf', 'oneOf', 'allOf', '$ref'])
      if (key in tool.inputSchema) flaws.push(`root ${key}`)
    for (const schema of [tool.inputSchema, tool.outputSchema]) {
      walk(schema, (part) => {
        if (Array.isArray(part.type)) flaws.push('a list of types')
        if ('$ref' in part) flaws.push('$ref')
        if ('$schema' in part) flaws.push('$schema')
      })
    }
    walk(tool.inputSchema, ({ properties }) => {
      for (const [name, member] of Object.entries(properties ?? {})) {
        if (typeof member === 'boolean') flaws.push(`${name} is a boolean schema`)
        else if (!('description' in (member as object))) flaws.push(`${name} has no description`)
      }
    })
    expect(flaws).toEqual([])
    expect(tool.inputSchema.type).toBe('object')
    if (tool.outputSchema !== undefined) expect(tool.outputSchema.type).toBe('object')
  })

  it('hides nothing: no markup, no invisible or unusual characters', () => {
    expect(JSON.stringify(tool)).toMatch(/^[\x20-\x7e]*$/)
    expect(tool.description).not.toMatch(/<[a-z!/]|https?:|ignore (all|previous)|system prompt/i)
  })
})

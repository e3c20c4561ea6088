import { mkdirSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Program, startHttp, sweep } from '../support/binary.ts'
import { EveryToolFixture } from '../support/every-tool.ts'
import { initialize, type Message, modern, request } from '../support/messages.ts'

/**
 * Claude Code and Codex give a model only `structuredContent` where an answer has it, and drop `content`. So
 * everything that the content says must be in the structured answer, or there must be none.
 */

const fixture = new EveryToolFixture()
beforeAll(() => fixture.start())
afterAll(() => Promise.all([fixture.stop(), sweep()]))

interface Block {
  readonly type: string
  readonly text: string
}

interface Result {
  readonly content: readonly Block[]
  readonly structuredContent?: unknown
  readonly isError?: boolean
}

/** Sentences around values that the structured answer has. */
const SENTENCES: Readonly<Record<string, RegExp>> = {
  project_write_report: /^Report written: (?<value>\S+)$/,
}

const contains = (whole: unknown, part: unknown): boolean =>
  isDeepStrictEqual(whole, part) ||
  (typeof whole === 'object' && whole !== null && Object.values(whole).some((one) => contains(one, part)))

const saidValue = (name: string, text: string): unknown => {
  const value = SENTENCES[name]?.exec(text)?.groups?.value
  if (value !== undefined) return value
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The texts of a result that a client loses when it gives its model the structured answer alone. */
const lostTexts = (name: string, { content, structuredContent }: Result): readonly string[] =>
  structuredContent === undefined
    ? []
    : content.map(({ text }) => text).filter((text) => !contains(structuredContent, saidValue(name, text)))

/** What the model of such a client reads. */
const readByModel = ({ content, structuredContent }: Result): string =>
  structuredContent === undefined
    ? content.map(({ text }) => text).join('\n')
    : JSON.stringify(structuredContent)

interface ToolEntry {
  readonly name: string
  readonly outputSchema?: object
}

type Ask = (method: string, params: object) => Promise<Message>

/** Every tool with the schema of its answers. The gate blocks the fixture, and all tools are called. */
const everything = () => [...fixture.flags, '--toolsets', 'all', '--output-schemas', '--tool-access', 'all']

const overStdio = (era: 'legacy' | 'modern') => {
  const program = new Program(['mcp', ...everything()], { cwd: fixture.repo.folder })
  if (era === 'legacy') program.send(initialize('open'))
  let lines = era === 'legacy' ? 1 : 0
  const ask: Ask = async (method, params) => {
    program.send((era === 'legacy' ? request : modern)(lines, method, params))
    lines += 1
    const message = (await program.answers(lines)).at(-1)
    if (message === undefined) throw new Error(`no answer to ${method}`)
    return message
  }
  return { ask, close: () => program.finish() }
}

const overHttp = async () => {
  const server = await startHttp(everything(), { cwd: fixture.repo.folder })
  const ask: Ask = async (method, params) => {
    const response = await server.fetch('/mcp', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
      },
      body: request(1, method, params),
    })
    const body = await response.text()
    return JSON.parse(body.startsWith('{') ? body : (/^data: (.*)$/m.exec(body)?.[1] ?? '')) as Message
  }
  return { ask, close: async () => server.child.kill('SIGTERM') }
}

const WAYS = {
  'stdio, 2025-11-25': async () => overStdio('legacy'),
  'stdio, 2026-07-28': async () => overStdio('modern'),
  'HTTP, 2025-11-25': overHttp,
} as const

describe.each(Object.entries(WAYS))('Over %s', (_, connect) => {
  it('everything that an answer says reaches a model that gets the structured answer alone', async () => {
    const { ask, close } = await connect()
    const { tools } = (await ask('tools/list', {})).result as { tools: readonly ToolEntry[] }
    const called = new Set<string>()
    const flaws: string[] = []
    for (const { name, args, shows } of fixture.examples) {
      const { result, error } = await ask('tools/call', { name, arguments: args })
      called.add(name)
      if (result === undefined || result.isError)
        flaws.push(`${name} failed: ${JSON.stringify(error ?? result)}`)
      else {
        const hasSchema = tools.find((tool) => tool.name === name)?.outputSchema !== undefined
        const hasStructure = result.structuredContent !== undefined
        if (hasSchema !== hasStructure) flaws.push(`${name}: schema ${hasSchema}, structure ${hasStructure}`)
        for (const text of lostTexts(name, result)) flaws.push(`${name} loses: ${text.slice(0, 60)}`)
        if (!readByModel(result).includes(shows))
          flaws.push(`${name} does not show ${shows}: ${readByModel(result).slice(0, 300)}`)
      }
    }
    await close()
    expect(flaws).toEqual([])
    expect(tools.map(({ name }) => name).filter((name) => !called.has(name))).toEqual([])
  })
})

describe('An argument that a tool does not know', () => {
  it('is refused by every tool, by name', async () => {
    const { ask, close } = overStdio('legacy')
    const accepted: string[] = []
    for (const { name, args } of fixture.examples) {
      const { result } = await ask('tools/call', { name, arguments: { ...args, surprise: 1 } })
      const said = result?.isError === true ? result.content[0].text : ''
      if (!said.includes('surprise')) accepted.push(name)
    }
    await close()
    expect(accepted).toEqual([])
  })

  it.each([
    ['sentinel-mcp', 'readJavaFile', { path: 'notes.md' }],
    ['scg-mcp-server', 'governor.status', {}],
    ['cpm-mcp', 'lookup', { name: 'demo' }],
  ])('is ignored by %s, as its clients expect', async (binary, name, args) => {
    const flags = binary === 'cpm-mcp' ? fixture.flags : fixture.flags.slice(0, 2)
    const program = new Program(flags, { binary, cwd: fixture.repo.folder })
    program.send(request(1, 'tools/call', { name, arguments: { ...args, surprise: 1 } }))
    const [message] = await program.answers(1)
    await program.finish()
    expect(message).toMatchObject({ id: 1, result: { content: [{ type: 'text' }] } })
    expect(message?.result).not.toHaveProperty('isError')
  })
})

describe('The last line of an answer', () => {
  const numbered = Array.from({ length: 400 }, (_, at) => `line ${at + 1} of the long file`).join('\n')

  it('says what is missing and how to get it, and is absent when nothing is', async () => {
    const { repo } = fixture
    repo.write({ 'long/lines.md': numbered, 'long/wide.md': 'x'.repeat(9_000), 'long/empty.md': '' })
    mkdirSync(repo.path('bare'))
    const program = new Program(['mcp', '--root', repo.folder, '--limits-answer-bytes', '8192'])
    let answered = 0
    const read = async (name: string, args: object): Promise<readonly string[]> => {
      program.send(request(answered, 'tools/call', { name, arguments: args }))
      answered += 1
      const message = (await program.answers(answered)).at(-1)
      return message?.result.content.map(({ text }: Block) => text)
    }
    const noteOf = async (name: string, args: object) => (await read(name, args)).at(-1)

    const [first = '', note = ''] = await read('project_read', { path: 'long/lines.md' })
    const { last = '', next = '' } =
      /^\[lines 1 to (?<last>\d+) of 400; continue with startLine (?<next>\d+)\]$/.exec(note)?.groups ?? {}
    expect(first.split('\n')).toHaveLength(Number(last))
    expect(Number(next)).toBe(Number(last) + 1)
    const [second] = await read('project_read', { path: 'long/lines.md', startLine: Number(next) })
    expect(second).toMatch(new RegExp(`^line ${next} of`))
    expect(await read('readJavaFile', { path: 'long/lines.md' })).toEqual([
      first,
      `[continue with startLine ${next}]`,
    ])
    expect(await read('project_read', { path: 'notes.md' })).toHaveLength(1)
    expect(await noteOf('project_read', { path: 'notes.md', head: 1 })).toBe('[lines 1 to 1 of 3]')
    expect(await read('project_read', { path: 'notes.md', startLine: 9 })).toEqual([
      '[no such lines: the file has 3]',
    ])
    expect(await read('project_read', { path: 'long/empty.md' })).toEqual(['[the file is empty]'])
    expect(await noteOf('project_read', { path: 'long/wide.md' })).toBe(
      '[line 1 is too long for one answer and is cut]',
    )
    expect(await noteOf('project_read_many', { paths: ['notes.md', 'no.md'] })).toMatch(
      /^==> no\.md <==\nError: /,
    )

    expect(await noteOf('project_list', { path: 'long', limit: 2 })).toBe(
      '[entries 1 to 2 of 3; continue with offset 2]',
    )
    expect(await read('project_list', { path: 'bare' })).toEqual(['[0 of 0 entries]'])
    expect(await noteOf('project_tree', { depth: 1 })).toMatch(/^\[\d+ folders go deeper\]$/)
    expect(await noteOf('project_glob', { pattern: 'long/*', limit: 1 })).toBe(
      '[1 paths, and there are more: raise limit, or narrow the request]',
    )
    expect(await read('project_glob', { pattern: '*.none' })).toEqual(['[no paths]'])
    expect(await noteOf('project_search', { pattern: 'of the long', limit: 2 })).toMatch(
      /^\[2 matches in 1 files, \d+ files searched; more than 2 matches\]$/,
    )
    expect(await read('project_search', { pattern: 'no such text' })).toEqual([
      expect.stringMatching(/^\[0 matches in 0 files, /),
    ])
    expect(await noteOf('project_symbols', { path: 'src/app.ts', limit: 2 })).toBe('[only 1 of 2 levels fit]')
    expect(await noteOf('project_find_references', { name: 'Kettle', limit: 1 })).toMatch(
      /^\[1 lines, and there are more/,
    )
    await program.finish()
  })
})

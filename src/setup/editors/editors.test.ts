import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hookEntries } from '../client-hooks.ts'
import { CLIENT_SERVERS } from '../client-servers.ts'
import { lefthookSteps, preCommitStep } from '../hook-targets.ts'
import { applyInsertions, cutSpans, type FileEntry, insertedSpans, UneditableFile } from './insertion.ts'
import { parseJsonc } from './jsonc.ts'
import { readTomlLines } from './toml.ts'

const LAUNCH = ['warrant']
const NOTHING_WRITTEN: ReadonlySet<string> = new Set()

/** The text with the entries, the exact way back, and the way back by shape. */
const roundTrip = async (text: string, entries: readonly FileEntry[]) => {
  let after = text
  const steps = []
  for (const entry of entries) {
    const insertions = await entry.insert(after)
    if (insertions.length === 0) continue
    after = applyInsertions(after, insertions)
    steps.push(insertedSpans(insertions))
  }
  let shaped = after
  for (const entry of [...entries].reverse()) {
    const removal = await entry.remove(shaped, NOTHING_WRITTEN)
    expect(removal).not.toBe('edited')
    if (typeof removal === 'object') shaped = removal.text
  }
  return { after, exact: steps.reverse().reduce(cutSpans, after), shaped }
}

const server = CLIENT_SERVERS.claude.entry(LAUNCH)
const claude = hookEntries('claude', LAUNCH)

const JSON_TEXTS: readonly (readonly [string, string])[] = [
  ['an empty object', '{}'],
  ['an empty object over lines', '{\n}\n'],
  ['blanks', '{ }\n'],
  ['a comment alone', '{\n  // nothing yet\n}\n'],
  ['other servers', '{\n  "mcpServers": {\n    "a": { "command": "x" }\n  }\n}\n'],
  ['tabs, CRLF, no final line end', '{\r\n\t"mcpServers": {\r\n\t\t"a": {}\r\n\t}\r\n}'],
  ['a byte order mark', '\ufeff{\n    "a": [1, 2]\n}\n'],
  ['comments after the last member', '{\n  "a": 1 // one\n  /* two */\n  // three\n}\n'],
  ['a trailing comma', '{\n  "a": 1,\n}\n'],
  ['one line', '{"a":1,"mcpServers":{"b":{"command":"x"}}}'],
  ['strings that look like syntax', '{\n  "a": "} // , \\" {",\n  "b": "/*"\n}\n'],
  [
    'hooks of others',
    '{\n  "hooks": {\n    "PreToolUse": [\n      { "matcher": "Bash", "hooks": [] }\n    ],\n    "Stop": []\n  }\n}\n',
  ],
]

describe('entries in JSON', () => {
  it.each(JSON_TEXTS)('come and go without a trace: %s', async (_, text) => {
    const { after, exact, shaped } = await roundTrip(text, [server, ...claude])
    const value = parseJsonc(after).value as Record<string, Record<string, unknown>>
    expect(value.mcpServers?.warrant).toEqual({ command: 'warrant', args: ['mcp'] })
    expect(Object.keys(value.hooks ?? {})).toEqual(
      expect.arrayContaining(['PreToolUse', 'PostToolUse', 'Stop', 'SessionStart']),
    )
    expect(exact).toBe(text)
    expect(parseJsonc(shaped).value).toEqual(
      // An empty list cannot be told from one that the entry began.
      JSON.parse(JSON.stringify(parseJsonc(text).value).replace(',"Stop":[]', '')),
    )
    for (const entry of [server, ...claude]) expect(await entry.insert(after)).toEqual([])
  })

  it('are restored for any JSON, with any indentation', async () => {
    const values = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 5 })
    const indents = fc.constantFrom(undefined, 1, 2, 4, '\t')
    await fc.assert(
      fc.asyncProperty(values, indents, fc.boolean(), async (value, indent, windows) => {
        fc.pre(!('mcpServers' in value) && !('hooks' in value) && !('__proto__' in value))
        const plain = JSON.stringify(value, null, indent)
        const text = windows ? plain.replaceAll('\n', '\r\n') : plain
        const { after, exact, shaped } = await roundTrip(text, [server, ...claude])
        expect(JSON.parse(after)).toMatchObject({ mcpServers: { warrant: { command: 'warrant' } } })
        expect(exact).toBe(text)
        expect(JSON.parse(shaped)).toEqual(JSON.parse(text))
      }),
      { numRuns: 200 },
    )
  })

  it.each([
    ['no JSON', '{ "a": 1', /not valid JSON \(line 1\)/],
    ['two values', '{} {}', /not valid JSON/],
    ['a list', '[]', /holds no object/],
    ['a member of another kind', '{ "mcpServers": [] }', /mcpServers is not an object/],
    ['the same member twice', '{ "mcpServers": {}, "mcpServers": {} }', /two members/],
    ['a deep file', `${'['.repeat(500)}${']'.repeat(500)}`, /nested deeper/],
    ['a control character', '{ "a": "\n" }', /not valid JSON/],
  ])('are refused: %s', async (_, text, why) => {
    await expect(server.insert(text)).rejects.toThrow(UneditableFile)
    await expect(server.insert(text)).rejects.toThrow(why)
  })

  it('are left alone when they were edited, and removed when another program starts them', async () => {
    const edited = '{ "mcpServers": { "warrant": { "command": "warrant", "args": ["mcp", "--read-only"] } } }'
    expect(await server.remove(edited, NOTHING_WRITTEN)).toBe('edited')
    expect(await server.insert(edited)).toEqual([])
    const local =
      '{ "mcpServers": { "warrant": { "command": "npx", "args": ["--no-install", "warrant", "mcp"] } } }'
    expect(await server.remove(local, NOTHING_WRITTEN)).toEqual({ text: '{}' })
    const [before] = claude
    const [insertion] = (await before?.insert('{}')) ?? []
    const changed = insertion?.text.replace('"Write|', '"') ?? ''
    expect(await before?.remove(`{${changed}}`, NOTHING_WRITTEN)).toBe('edited')
  })
})

describe('a table in TOML', () => {
  const table = CLIENT_SERVERS.codex.entry(LAUNCH)

  it.each([
    ['an empty file', ''],
    ['comments', '# top\nmodel = "o" # m\n\n[a.b] # t\nx = 1\n'],
    ['no final line end', 'a = 1'],
    ['CRLF', 'a = 1\r\n[b]\r\nc = 2\r\n'],
    [
      'all kinds of values',
      'a = """\n[mcp_servers.warrant]\n"""\nb = \'\'\'x\'\'\'\nc = [1, # one\n 2,\n]\nd = { e = "f", "g.h" = [{}] }\ni = 1979-05-27 07:32:00Z\n[[j]]\nk = -inf\n',
    ],
    ['other servers', '[mcp_servers.a]\ncommand = "x"\n[mcp_servers.a.env]\nK = "v"\n'],
  ])('comes and goes without a trace: %s', async (_, text) => {
    const { after, exact, shaped } = await roundTrip(text, [table])
    expect(readTomlLines(after).filter(({ path }) => path.join('.') === 'mcp_servers.warrant')).toHaveLength(
      1,
    )
    expect(exact).toBe(text)
    expect(shaped.trimEnd()).toBe(text.trimEnd())
    expect(await table.insert(after)).toEqual([])
  })

  it.each([
    ['a line without a value', 'a\n', /line 1/],
    ['an open string', 'a = "x\nb = 2\n', /line 1/],
    ['two values on a line', 'a = 1 b = 2\n', /line 1/],
    ['an open list', '\na = [1, 2\n', /not valid TOML/],
    ['a value in its place', 'mcp_servers = { a = {} }\n', /mcp_servers is a value/],
  ])('is refused: %s', async (_, text, why) => {
    await expect(table.insert(text)).rejects.toThrow(why)
  })

  it('is left alone in any spelling, and when it was edited', async () => {
    for (const text of [
      '["mcp_servers" . warrant]\n',
      '[mcp_servers]\nwarrant = { command = "x" }\n',
      "mcp_servers.'warrant'.command = 'x'\n",
    ]) {
      expect(await table.insert(text)).toEqual([])
      expect(await table.remove(text, NOTHING_WRITTEN)).toBe('edited')
    }
  })
})

describe('steps of hook managers in YAML', () => {
  const steps = lefthookSteps(false)

  it.each([
    [
      'commands',
      '# mine\npre-commit:\n  parallel: true\n  commands:\n    lint: # fast\n      run: npm run lint\n\n# end\n',
    ],
    [
      'jobs',
      'pre-commit:\n  jobs:\n    - name: a\n      run: x\n    - run: |\n        y\n        z\ncolors: true\n',
    ],
    ['other hooks alone', 'commit-msg:\n    commands:\n        a:\n            run: x'],
    ['CRLF', 'pre-push:\r\n  commands:\r\n    a:\r\n      run: x\r\n'],
    ['an empty file', ''],
    ['comments alone', '# nothing\n'],
  ])('of lefthook come and go: %s', async (_, text) => {
    const { after, exact, shaped } = await roundTrip(text, steps)
    expect(after).toContain('warrant gate --stage PRE_COMMIT')
    expect(after).toContain('warrant gate --stage PRE_PUSH --remote={1}')
    expect(exact).toBe(text)
    expect(shaped.trimEnd()).toBe(text.trimEnd())
    for (const step of steps) expect(await step.insert(after)).toEqual([])
  })

  it.each([
    [
      'its sample layout',
      'repos:\n-   repo: https://example.org/x\n    rev: v1\n    hooks:\n    -   id: a # b\n',
    ],
    [
      'indented, with a comment after',
      'default_stages: [commit]\nrepos:\n  - repo: local\n    hooks: [{ id: a, name: a, entry: a, language: system }]\n# end\n',
    ],
  ])('of pre-commit come and go: %s', async (_, text) => {
    const { after, exact, shaped } = await roundTrip(text, [preCommitStep(true)])
    expect(after).toContain('- id: warrant-gate\n')
    expect([exact, shaped]).toEqual([text, text])
  })

  it.each([
    ['no YAML', 'a: [', /not valid YAML/],
    ['several documents', 'a: 1\n---\nb: 2\n', /several documents/],
    ['a flow map', 'pre-commit: { commands: { a: { run: x } } }\n', /one line/],
    ['a list at the top', '- a\n', /not of the expected kind/],
  ])('are refused: %s', async (_, text, why) => {
    const [step] = steps
    await expect(step?.insert(text)).rejects.toThrow(why)
  })
})

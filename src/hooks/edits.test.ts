import { describe, expect, it } from 'vitest'
import { applyEdit } from './apply-edit.ts'
import { readCommand, readEdits } from './read-edits.ts'
import { readAgentEvent } from './read-event.ts'

const event = (client: Parameters<typeof readAgentEvent>[0], value: object) =>
  readAgentEvent(client, JSON.stringify(value))

const toolOf = (client: Parameters<typeof readAgentEvent>[0], value: object) => {
  const tool = event(client, value)?.tool
  if (tool === undefined) throw new Error('no tool')
  return tool
}

/** One call of a writing tool of each client: event, file before, file after. */
const CALLS: readonly (readonly [
  name: string,
  client: Parameters<typeof readAgentEvent>[0],
  value: object,
  before: string | undefined,
  after: string | undefined,
])[] = [
  [
    'Write',
    'claude',
    { hook_event_name: 'PreToolUse', tool_name: 'Write', tool_input: { file_path: 'a', content: 'x\n' } },
    undefined,
    'x\n',
  ],
  [
    'Edit',
    'claude',
    {
      hook_event_name: 'PreToolUse',
      tool_name: 'Edit',
      tool_input: { file_path: 'a', old_string: 'b', new_string: 'c' },
    },
    'abab',
    'acab',
  ],
  [
    'Edit of all',
    'claude',
    {
      hook_event_name: 'PreToolUse',
      tool_name: 'Edit',
      tool_input: { file_path: 'a', old_string: 'b', new_string: 'c', replace_all: true },
    },
    'abab',
    'acac',
  ],
  [
    'Edit with other line ends',
    'claude',
    {
      hook_event_name: 'PreToolUse',
      tool_name: 'Edit',
      tool_input: { file_path: 'a', old_string: 'a\nb', new_string: 'c' },
    },
    'a\r\nb\r\n',
    'c\n',
  ],
  [
    'Edit that does not fit',
    'claude',
    {
      hook_event_name: 'PreToolUse',
      tool_name: 'Edit',
      tool_input: { file_path: 'a', old_string: 'z', new_string: 'c' },
    },
    'ab',
    undefined,
  ],
  [
    'MultiEdit',
    'claude',
    {
      hook_event_name: 'PreToolUse',
      tool_name: 'MultiEdit',
      tool_input: {
        file_path: 'a',
        edits: [
          { old_string: 'a', new_string: 'b' },
          { old_string: 'b', new_string: 'c' },
        ],
      },
    },
    'a',
    'c',
  ],
  ['create', 'copilot', { toolName: 'create', toolArgs: '{"path":"a","file_text":"x"}' }, undefined, 'x'],
  ['edit', 'copilot', { toolName: 'edit', toolArgs: '{"path":"a","old_str":"a","new_str":"b"}' }, 'a', 'b'],
  [
    'str_replace_editor insert',
    'copilot',
    {
      toolName: 'str_replace_editor',
      toolArgs: { command: 'insert', path: 'a', insert_line: 1, new_str: 'two' },
    },
    'one\nthree\n',
    'one\ntwo\nthree\n',
  ],
  [
    'replace_string_in_file',
    'copilot',
    {
      hook_event_name: 'PreToolUse',
      tool_name: 'replace_string_in_file',
      tool_input: { filePath: 'a', oldString: 'a', newString: 'b' },
    },
    'a',
    'b',
  ],
  [
    'multi_replace_string_in_file',
    'copilot',
    {
      hook_event_name: 'PreToolUse',
      tool_name: 'multi_replace_string_in_file',
      tool_input: { replacements: [{ filePath: 'a', oldString: 'a', newString: 'b' }] },
    },
    'a',
    'b',
  ],
  [
    'Write',
    'cursor',
    { hook_event_name: 'preToolUse', tool_name: 'Write', tool_input: { path: 'a', contents: 'x' } },
    undefined,
    'x',
  ],
  [
    'StrReplace',
    'cursor',
    {
      hook_event_name: 'preToolUse',
      tool_name: 'StrReplace',
      tool_input: { path: 'a', old_string: 'a', new_string: 'b' },
    },
    'a',
    'b',
  ],
  [
    'afterFileEdit',
    'cursor',
    { hook_event_name: 'afterFileEdit', file_path: 'a', edits: [{ old_string: 'a', new_string: 'b' }] },
    'a',
    'b',
  ],
  [
    'write_file',
    'gemini',
    { hook_event_name: 'BeforeTool', tool_name: 'write_file', tool_input: { file_path: 'a', content: 'x' } },
    undefined,
    'x',
  ],
  [
    'replace',
    'gemini',
    {
      hook_event_name: 'BeforeTool',
      tool_name: 'replace',
      tool_input: {
        file_path: 'a',
        instruction: 'i',
        old_string: 'a',
        new_string: 'b',
        allow_multiple: true,
      },
    },
    'aa',
    'bb',
  ],
  [
    'apply_patch',
    'codex',
    {
      hook_event_name: 'PreToolUse',
      tool_name: 'apply_patch',
      tool_input: {
        command:
          '*** Begin Patch\n*** Update File: a\n@@ two\n-three\n+3\n@@\n five\n-six\n*** End of File\n*** End Patch',
      },
    },
    'one\ntwo\nthree\nfour\nfive\nsix\n',
    'one\ntwo\n3\nfour\nfive\n',
  ],
  [
    'apply_patch as Edit',
    'codex',
    {
      hook_event_name: 'PreToolUse',
      tool_name: 'Edit',
      tool_input: { command: '*** Begin Patch\n*** Delete File: a\n*** End Patch' },
    },
    'a',
    undefined,
  ],
]

describe('a call of a writing tool', () => {
  it.each(CALLS)('%s of %s is applied in memory', (_, client, value, before, after) => {
    const [edit, ...more] = readEdits(toolOf(client, value))
    expect(more).toEqual([])
    expect(edit?.path).toBe('a')
    expect(edit && applyEdit(before, edit)?.after).toBe(after)
  })

  it('of a notebook changes one cell', () => {
    const notebook = JSON.stringify({
      cells: [
        { id: 'x', cell_type: 'code', source: 'a' },
        { id: 'y', source: 'b' },
      ],
    })
    const input = { notebook_path: 'n.ipynb', cell_id: 'y', new_source: 'c' }
    const [edit] = readEdits(
      toolOf('claude', { hook_event_name: 'PreToolUse', tool_name: 'NotebookEdit', tool_input: input }),
    )
    expect(JSON.parse((edit && applyEdit(notebook, edit)?.after) ?? '').cells).toEqual([
      { id: 'x', cell_type: 'code', source: 'a' },
      { id: 'y', source: 'c' },
    ])
  })

  it('without a file is a fault', () => {
    for (const input of [
      {},
      { content: 'x' },
      { file_path: 7, content: 'x' },
      { __proto__: { file_path: 'a' } },
    ])
      expect(() => readEdits({ name: 'Write', kind: 'write', input })).toThrow('names no file')
    expect(() => readEdits({ name: 'apply_patch', kind: 'patch', input: { command: 'rm -rf' } })).toThrow(
      'Begin Patch',
    )
  })
})

describe('an event', () => {
  it('of another kind, and of a tool that does not write, has no answer', () => {
    expect(event('claude', { hook_event_name: 'UserPromptSubmit', prompt: 'x' })).toBeUndefined()
    expect(
      event('claude', { hook_event_name: 'PreToolUse', tool_name: 'Read', tool_input: { file_path: 'a' } }),
    ).toBeUndefined()
    expect(
      event('gemini', { hook_event_name: 'BeforeTool', tool_name: '__proto__', tool_input: {} }),
    ).toBeUndefined()
    expect(event('copilot', { toolName: 'view', toolArgs: '{}' })).toBeUndefined()
  })

  it.each([
    '',
    '[]',
    '7',
    'null',
    '{',
    '{}',
    '{"hook_event_name":7}',
    '{"hook_event_name":"PreToolUse"}',
    `${'['.repeat(100_000)}`,
  ])('that is none is a fault: %.30s', (text) => {
    expect(() => readAgentEvent('claude', text)).toThrow(/event/)
  })

  it('of a turn that this hook prolonged is known in every client', () => {
    expect(event('claude', { hook_event_name: 'Stop', stop_hook_active: true })?.isRepeated).toBe(true)
    expect(event('gemini', { hook_event_name: 'AfterAgent', stop_hook_active: true })?.isRepeated).toBe(true)
    expect(event('cursor', { hook_event_name: 'stop', status: 'completed', loop_count: 1 })?.isRepeated).toBe(
      true,
    )
    expect(event('cursor', { hook_event_name: 'stop', status: 'completed', loop_count: 0 })?.isRepeated).toBe(
      false,
    )
  })

  it('of a command gives its text, also where the client sends words', () => {
    const tool = toolOf('codex', {
      hook_event_name: 'PreToolUse',
      tool_name: 'Bash',
      tool_input: { command: ['bash', '-lc', "git commit -m 'a b'"] },
    })
    expect(readCommand(tool)).toBe(`'bash' '-lc' 'git commit -m '\\''a b'\\'''`)
  })
})

import { expect } from 'vitest'
import { converse } from './binary.ts'
import { type HostileProject, SECRET } from './jail-attacks.ts'
import { type Message, request } from './messages.ts'

/** Whether a message contains content from outside of the root. */
export const leaks = (text: string): boolean => text.includes(SECRET) || /root:x:0|PATH=/.test(text)

/** The answer of a written report contains the root, as clients of sentinel-mcp expect. */
export const namesRoot = (tool: string | undefined, text: string): boolean =>
  tool === 'generate_master_arch_report' && text.includes('SENTINEL_REPORT_')

type Way = readonly [tool: string, args: (path: string) => Readonly<Record<string, unknown>>]

/** Every tool with a path argument, and its arguments for a path. */
export const WAYS: readonly Way[] = [
  ['readProjectStructure', (path) => ({ path })],
  ['readJavaFile', (path) => ({ path })],
  ['get_project_structure', (path) => ({ projectPath: path })],
  ['discover_service_interconnections', (path) => ({ projectPath: path })],
  ['extract_architectural_signatures', (path) => ({ projectPath: path })],
  ['analyze_project', (path) => ({ rootPath: path })],
  ['generate_master_arch_report', (path) => ({ projectPath: path })],
  ['write_architecture_report', (path) => ({ fileName: path, content: 'x' })],
  ['project_read', (path) => ({ path })],
  ['project_read_many', (path) => ({ paths: [path] })],
  ['project_info', (path) => ({ path })],
  ['project_list', (path) => ({ path })],
  ['project_tree', (path) => ({ path, ignored: true })],
  ['project_glob', (path) => ({ pattern: '**', path, ignored: true })],
  ['project_symbols', (path) => ({ path })],
  ['project_find_symbol', (path) => ({ name: 'e', part: true, path })],
  ['project_find_references', (path) => ({ name: 'OUTSIDE', path })],
  ['project_search', (path) => ({ pattern: 'OUTSIDE|root:x|PATH=', path, ignored: true })],
]

export type PathCall = readonly [tool: string, args: Readonly<Record<string, unknown>>, path: string]

/** A call of every way with every path. */
export const pathCalls = (ways: readonly Way[], paths: readonly string[]): readonly PathCall[] =>
  paths.flatMap((path, row) =>
    // Each path begins with another way, so that every nth call has all paths and all ways.
    ways.map((_, at) => {
      const [tool, args] = ways[(at + row) % ways.length] as Way
      return [tool, args(path), path] as const
    }),
  )

export const everyNth = (step: number, calls: readonly PathCall[]): readonly PathCall[] =>
  calls.filter((_, at) => at % step === 0)

/** Sends the calls to the union over stdio. No answer may contain a byte from outside of the root. */
export const expectNothingFromOutside = async (
  hostile: HostileProject,
  calls: readonly PathCall[],
): Promise<void> => {
  const lines = calls.map(([name, args], id) => request(id, 'tools/call', { name, arguments: args }))
  const messages: Message[] = []
  // In batches: after stdin ends, the server has ten seconds for the remaining answers, also on a busy machine.
  for (let at = 0; at < lines.length; at += 4_000) {
    messages.push(...(await converse(lines.slice(at, at + 4_000), ['--root', hostile.root])).messages)
  }
  expect(messages).toHaveLength(calls.length)
  for (const message of messages) {
    const [tool, , path] = calls[Number(message.id)] ?? []
    const text = JSON.stringify(message)
    expect.soft(leaks(text), `${tool} ${path}`).toBe(false)
    if (!path?.includes(hostile.base) && !namesRoot(tool, text))
      expect.soft(text, `${tool} ${path}`).not.toContain(hostile.base)
  }
}

import { isDeepStrictEqual } from 'node:util'
import { isRecord } from '../kernel/encoding/json.ts'
import { jsonMember } from './editors/edit-json.ts'
import { tomlTable } from './editors/edit-toml.ts'
import type { FileEntry } from './editors/insertion.ts'
import { type LaunchWords, readLaunch } from './launch.ts'

const NAME = 'warrant'
const ARGS = ['mcp'] as const

/** The words of a server entry: `command` and `args`, or a list in `command`. */
const wordsOf = (value: unknown): unknown => {
  if (!isRecord(value)) return undefined
  return Array.isArray(value.command)
    ? value.command
    : [value.command, ...(Array.isArray(value.args) ? value.args : [])]
}

type WriteServer = (launch: LaunchWords) => Readonly<Record<string, unknown>>

const plain: WriteServer = (launch) => {
  const [command, ...args] = [...launch, ...ARGS]
  return { command, args }
}

const inJson =
  (member: string, write: WriteServer) =>
  (launch: LaunchWords): FileEntry =>
    jsonMember({
      path: [member, NAME],
      value: write(launch),
      isOurs: (value) => {
        const found = readLaunch(wordsOf(value), ARGS)
        return found !== undefined && isDeepStrictEqual(value, write(found))
      },
    })

/** The value of `key = value` lines, as far as they are JSON. */
const readLines = (lines: readonly string[]): Record<string, unknown> | undefined => {
  try {
    return Object.fromEntries(
      lines.map((line) => {
        const [, key = '', value = ''] = /^(\w+)\s*=\s*([\s\S]*)$/.exec(line) ?? []
        return [key, JSON.parse(value)]
      }),
    )
  } catch {
    return undefined
  }
}

const inToml = (launch: LaunchWords): FileEntry =>
  tomlTable({
    path: ['mcp_servers', NAME],
    values: plain(launch),
    isOurs: (lines) => {
      const value = readLines(lines)
      const found = readLaunch(wordsOf(value), ARGS)
      return found !== undefined && isDeepStrictEqual(value, plain(found))
    },
  })

interface ServerFile {
  /** The files that the client reads, the first of them being created. */
  readonly files: readonly string[]
  readonly entry: (launch: LaunchWords) => FileEntry
}

const inServers = inJson('mcpServers', plain)

/** Where each client looks for MCP servers in a project. */
export const CLIENT_SERVERS = {
  claude: { files: ['.mcp.json'], entry: inServers },
  vscode: {
    files: ['.vscode/mcp.json'],
    entry: inJson('servers', (launch) => ({ type: 'stdio', ...plain(launch) })),
  },
  cursor: { files: ['.cursor/mcp.json'], entry: inServers },
  codex: { files: ['.codex/config.toml'], entry: inToml },
  gemini: { files: ['.gemini/settings.json'], entry: inServers },
  opencode: {
    files: ['opencode.json', 'opencode.jsonc'],
    entry: inJson('mcp', (launch) => ({ type: 'local', command: [...launch, ...ARGS], enabled: true })),
  },
  zed: { files: ['.zed/settings.json'], entry: inJson('context_servers', plain) },
} as const satisfies Readonly<Record<string, ServerFile>>

import { cutSpans, endOfLine, type FileEntry, lineEndOf, type Removal, UneditableFile } from './insertion.ts'
import { readTomlLines, type TomlLine } from './toml.ts'

const startsWith = (path: readonly string[], names: readonly string[]): boolean =>
  names.every((name, at) => path[at] === name)

interface TableOptions {
  readonly path: readonly string[]
  readonly values: Readonly<Record<string, unknown>>
  /** Whether the lines of a table, without blanks and comments, are the ones that are written. */
  readonly isOurs: (lines: readonly string[]) => boolean
}

/** JSON strings and lists of them are TOML, too. */
const writeTable = ({ path, values }: TableOptions): string =>
  [
    `[${path.join('.')}]`,
    ...Object.entries(values).map(
      ([key, value]) =>
        `${key} = ${Array.isArray(value) ? `[${value.map((one) => JSON.stringify(one)).join(', ')}]` : JSON.stringify(value)}`,
    ),
    '',
  ].join('\n')

/** The lines of the table from its header to the next header. */
const tableLines = (lines: readonly TomlLine[], header: TomlLine): TomlLine[] => {
  const rest = lines.slice(lines.indexOf(header) + 1)
  const next = rest.findIndex(({ kind }) => kind !== 'key')
  return next === -1 ? rest : rest.slice(0, next)
}

/** An entry that is a table of its own at the end of the file. */
export const tomlTable = (options: TableOptions): FileEntry => {
  const { path, isOurs } = options
  const written = writeTable(options)
  return {
    shown: written.trimEnd(),
    insert: async (text) => {
      const lines = readTomlLines(text)
      if (lines.some((line) => startsWith(line.path, path))) return []
      // A value there cannot be extended by a table.
      const value = lines.find((line) => line.kind !== 'table' && startsWith(path, line.path))
      if (value !== undefined) throw new UneditableFile(`${value.path.join('.')} is a value, not a table`)
      const isEmpty = /^\ufeff?$/.test(text)
      const gap = isEmpty ? '' : text.endsWith('\n') ? '\n' : '\n\n'
      return [{ at: text.length, text: `${gap}${written}`.replaceAll('\n', lineEndOf(text)) }]
    },
    remove: async (text): Promise<Removal> => {
      const lines = readTomlLines(text)
      const ours = lines.filter((line) => startsWith(line.path, path))
      const [header] = ours
      if (header === undefined) return 'absent'
      const body = tableLines(lines, header)
      const isPlain = header.kind === 'table' && ours.length === body.length + 1
      if (!isPlain || !isOurs(body.map(({ from, to }) => text.slice(from, to)))) return 'edited'
      const end = endOfLine(text, (body.at(-1) ?? header).to).at
      // With the blank line before it.
      const before = text.slice(0, header.from)
      const from = before.length - (/(?<=\n)\r?\n$/.exec(before)?.[0].length ?? 0)
      return { text: cutSpans(text, [{ from, to: end }]) }
    },
  }
}

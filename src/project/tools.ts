import * as z from 'zod'
import type { Toolset } from '../kernel/catalog.ts'
import { optional } from '../kernel/optional.ts'
import { showName } from '../kernel/text/escape-text.ts'
import { TextAnswer } from '../kernel/text-answer.ts'
import type { Tool } from '../kernel/tool.ts'
import { describeText, type FileResult } from './files/read.ts'
import { sentinelTools } from './sentinel-tools.ts'
import {
  DATA,
  defineJobTool,
  defineTextTool,
  ESCAPED,
  factsWithText,
  lineInputs,
  noteOf,
  PathInput,
  type ProjectPorts,
  pageNotes,
  warnHardLinked,
} from './tool-support.ts'
import { type WorkflowPorts, workflowTools } from './workflow-tools.ts'

const Folder = PathInput.default('.')
const Ignored = z.boolean().default(false).describe('Include ignored files.')
const countInput = (max: number, defaultValue: number) => z.int().min(1).max(max).default(defaultValue)

const readTools = (ports: ProjectPorts): Tool[] => [
  defineTextTool(ports, {
    name: 'project_read',
    title: 'Read a file',
    description: `Returns the text of a file, whole or by lines; the last line says where a long one continues. ${DATA}`,
    input: z.strictObject({ path: PathInput, ...lineInputs }),
    job: 'read',
    request: (args, bytes) => ({ ...args, bytes }),
    answer: (file, _, call) => {
      warnHardLinked(call, file)
      const { path, size, lines, first, last, modified, hidden } = file
      const facts = { path, size, lines, first, last, modified, ...optional({ hidden }) }
      return new TextAnswer(facts, [file.text], noteOf(describeText(file)))
    },
  }),
  defineTextTool(ports, {
    name: 'project_read_many',
    title: 'Read several files',
    description: `Returns the texts of up to 20 files, one block each; a file that cannot be read has an error. ${DATA}`,
    input: z.strictObject({
      paths: z.array(PathInput).min(1).max(20).describe('Paths from the root.'),
    }),
    job: 'many',
    request: ({ paths }, bytes) => ({ paths, bytes: bytes - 600 * paths.length }),
    answer: (files, _, call) => {
      for (const file of files) if (!('error' in file)) warnHardLinked(call, file)
      return new TextAnswer({ files: files.map(fileSummary) }, files.map(contentBlock))
    },
  }),
  defineJobTool(ports, {
    name: 'project_info',
    title: 'File facts',
    description: 'Returns kind, size and time of change of a path, and whether project_read can read it.',
    input: z.strictObject({ path: PathInput }),
    output: z.object({
      path: z.string(),
      kind: z.enum(['file', 'directory', 'link', 'other']),
      size: z.int(),
      modified: z.string(),
      shared: z.boolean().describe('The file has more than one hard link.'),
      readable: z.boolean(),
    }),
    job: 'info',
    request: (args) => args,
    answer: (info) => info,
  }),
]

const fileSummary = (file: FileResult) => {
  if ('error' in file) return { path: file.path, error: file.error }
  const { path, lines, modified, last, hidden } = file
  return { path, lines, modified, last, ...optional({ hidden }) }
}

/** The path as `head` prints it, then the text or the error. */
const contentBlock = (file: FileResult): string => {
  const path = showName(file.path)
  if ('error' in file) return `==> ${path} <==\nError: ${file.message}`
  const notes = describeText(file)
  return `==> ${path}${notes.length === 0 ? '' : ` (${notes.join('; ')})`} <==\n${file.text}`
}

const findTools = (ports: ProjectPorts): Tool[] => [
  defineTextTool(ports, {
    name: 'project_list',
    title: 'List a folder',
    description: 'Lists the entries of one folder, one name a line; folders end with a slash.',
    input: z.strictObject({
      path: Folder,
      offset: z.int().min(0).default(0).describe('Entries to skip.'),
      limit: countInput(1_000, 1_000).describe('Most entries.'),
    }),
    job: 'list',
    request: (args, bytes) => ({ ...args, bytes }),
    answer: (page) =>
      factsWithText(page, page.text === '' ? [`0 of ${page.total} entries`] : pageNotes(page)),
  }),
  defineTextTool(ports, {
    name: 'project_tree',
    title: 'Folder tree',
    description:
      'Returns folders and files below a path as an indented tree, as many levels as fit, without ignored files.',
    input: z.strictObject({
      path: Folder,
      depth: countInput(64, 4).describe('Most levels.'),
      exclude: z.array(z.string().max(500)).max(50).default([]).describe('Globs to leave out.'),
      ignored: Ignored,
      limit: countInput(2_000, 500).describe('Most entries.'),
    }),
    job: 'tree',
    request: (args, bytes) => ({ ...args, bytes }),
    answer: (tree) => factsWithText(tree, [...(tree.entries === 0 ? ['no entries'] : []), ...cutNote(tree)]),
  }),
  defineTextTool(ports, {
    name: 'project_glob',
    title: 'Find files by name',
    description: 'Finds files by a glob such as src/**/*.ts, one path a line, without ignored files.',
    input: z.strictObject({
      pattern: z.string().min(1).max(500).describe('Glob; without a slash it matches in every folder.'),
      path: Folder,
      ignored: Ignored,
      limit: countInput(2_000, 200).describe('Most paths.'),
    }),
    job: 'glob',
    request: (args, bytes) => ({ ...args, bytes }),
    answer: (paths) => factsWithText(paths, countNotes(paths.matches, 'paths', paths.truncated)),
  }),
  defineTextTool(ports, {
    name: 'project_search',
    title: 'Search in files',
    description: `Searches files and returns the matching lines with their numbers by file, without ignored files. ${DATA}`,
    input: z.strictObject({
      pattern: z.string().min(1).max(1_000).describe('JavaScript regular expression.'),
      literal: z.boolean().default(false).describe('The pattern is plain text.'),
      ignoreCase: z.boolean().default(false).describe('Ignore case.'),
      path: Folder,
      glob: z.string().min(1).max(500).optional().describe('Only files that match.'),
      ignored: Ignored,
      context: z.int().min(0).max(10).default(0).describe('Lines around a match.'),
      limit: countInput(1_000, 100).describe('Most matches.'),
    }),
    job: 'search',
    request: (args, bytes) => ({ ...args, bytes }),
    answer: ({ escaped, ...found }) => {
      const { matches, files, searched } = found
      const counts = `${matches} matches in ${files} files, ${searched} files searched`
      return factsWithText(found, [counts, ...cutNote(found), ...(escaped ? [ESCAPED] : [])])
    },
  }),
]

const cutNote = ({ cut }: { readonly cut?: string }): readonly string[] => (cut === undefined ? [] : [cut])

/** Nothing for a complete list: its lines speak for themselves. */
const countNotes = (shown: number, what: string, truncated: boolean): readonly string[] => {
  if (truncated) return [`${shown} ${what}, and there are more: raise limit, or narrow the request`]
  return shown === 0 ? [`no ${what}`] : []
}

const symbolTools = (ports: ProjectPorts): Tool[] => [
  defineTextTool(ports, {
    name: 'project_symbols',
    title: 'Symbols of a file',
    description:
      'Returns the outline of a source file: lines, kind and name of each declaration. For TypeScript, JavaScript, Java, Kotlin, Python, Go and Swift.',
    input: z.strictObject({
      path: PathInput,
      depth: countInput(8, 2).describe('Most levels.'),
      limit: countInput(1_000, 300).describe('Most symbols.'),
    }),
    job: 'outline',
    request: (args, bytes) => ({ ...args, bytes }),
    answer: (outline, { depth }) =>
      factsWithText(outline, [
        ...(outline.depth < depth ? [`only ${outline.depth} of ${depth} levels fit`] : []),
        ...countNotes(outline.symbols, 'symbols', outline.truncated),
      ]),
  }),
  defineTextTool(ports, {
    name: 'project_find_symbol',
    title: 'Find a declaration',
    description: 'Finds declarations by name in the syntax trees: path, lines, kind and full name.',
    input: z.strictObject({
      name: z.string().min(1).max(200).describe('The name, or Class/member.'),
      part: z.boolean().default(false).describe('Match names that contain it.'),
      path: Folder,
      limit: countInput(500, 50).describe('Most declarations.'),
    }),
    job: 'symbol',
    request: (args, bytes) => ({ ...args, bytes }),
    answer: (found) =>
      factsWithText(found, [
        ...countNotes(found.symbols, 'declarations', found.truncated),
        ...(found.unparsed ?? []),
      ]),
  }),
  defineTextTool(ports, {
    name: 'project_find_references',
    title: 'Find uses of a name',
    description: `Finds the lines that use a name, outside of comments and strings. ${DATA}`,
    input: z.strictObject({
      name: z.string().min(1).max(200).describe('The name.'),
      path: Folder,
      limit: countInput(1_000, 100).describe('Most lines.'),
    }),
    job: 'uses',
    request: (args, bytes) => ({ ...args, bytes }),
    answer: ({ escaped, ...found }) =>
      factsWithText(found, [
        ...countNotes(found.symbols, 'lines', found.truncated),
        ...(found.unparsed ?? []),
        ...(escaped ? [ESCAPED] : []),
      ]),
  }),
]

/** Tools over the files of the repository. Only the two report tools write, and they only create new reports. */
export const projectToolset = (ports: WorkflowPorts): Toolset => ({
  name: 'project',
  title: 'The files of the project',
  tools: [
    ...readTools(ports),
    ...findTools(ports),
    ...symbolTools(ports),
    // Without freshness: the clients of these tools know a fixed answer.
    ...sentinelTools(ports),
    ...workflowTools(ports),
  ],
  resources: [],
  prompts: [],
})

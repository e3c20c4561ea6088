import * as z from 'zod'
import type { Toolset } from '../kernel/catalog.ts'
import { ContentAnswer } from '../kernel/content-answer.ts'
import type { Tool } from '../kernel/tool.ts'
import type { FileResult } from './files/read.ts'
import { sentinelTools } from './sentinel-tools.ts'
import { defineJobTool, lineInputs, PathInput, type ProjectPorts, warnHardLinked } from './tool-support.ts'
import { type WorkflowPorts, workflowTools } from './workflow-tools.ts'

const Folder = PathInput.default('.')
const Ignored = z.boolean().default(false).describe('Include files that .gitignore excludes.')
const Cut = z.string().optional().describe('What was left out of the answer, and why.')
const count = (max: number, defaultValue: number) => z.int().min(1).max(max).default(defaultValue)

const readTools = (ports: ProjectPorts): Tool[] => [
  defineJobTool(ports, {
    name: 'project_read',
    title: 'Read a file',
    description:
      'Returns the text of a file, whole or by lines, with its size, number of lines and time of change. A long text ends at a whole line: continue with startLine.',
    input: z.object({ path: PathInput, ...lineInputs }),
    output: z.object({
      path: z.string(),
      size: z.int(),
      lines: z.int(),
      first: z.int().describe('First line returned.'),
      last: z.int(),
      modified: z.string(),
    }),
    job: 'read',
    request: (args, bytes) => ({ ...args, bytes }),
    answer: (file, call) => {
      warnHardLinked(call, file)
      const { text, path, size, lines, first, last, modified } = file
      return new ContentAnswer({ path, size, lines, first, last, modified }, text)
    },
  }),
  defineJobTool(ports, {
    name: 'project_read_many',
    title: 'Read several files',
    description:
      'Returns the texts of up to 20 files, one content block each, in the order of paths. A file that cannot be read has an error; the others are returned.',
    input: z.object({
      paths: z.array(PathInput).min(1).max(20).describe('Paths from the project root.'),
    }),
    output: z.object({
      files: z.array(
        z.object({
          path: z.string(),
          lines: z.int().optional(),
          modified: z.string().optional(),
          last: z.int().optional().describe('Last line returned.'),
          error: z.string().optional(),
        }),
      ),
    }),
    job: 'many',
    request: ({ paths }, bytes) => ({ paths, bytes: bytes - 200 * paths.length }),
    answer: (files, call) => {
      for (const file of files) if (!('error' in file)) warnHardLinked(call, file)
      return new ContentAnswer({ files: files.map(summary) }, ...files.map(contentBlock))
    },
  }),
  defineJobTool(ports, {
    name: 'project_info',
    title: 'File facts',
    description:
      'Returns the kind, size and time of change of a path, and whether project_read can return its text.',
    input: z.object({ path: PathInput }),
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

const summary = (file: FileResult) =>
  'error' in file
    ? { path: file.path, error: file.error }
    : { path: file.path, lines: file.lines, modified: file.modified, last: file.last }

const contentBlock = (file: FileResult): string => ('error' in file ? `Error: ${file.message}` : file.text)

/** The text as a content block, the other facts as structured content. */
const textAnswer = <T extends { readonly text: string }>({ text, ...facts }: T) =>
  new ContentAnswer(facts, text)

const findTools = (ports: ProjectPorts): Tool[] => [
  defineJobTool(ports, {
    name: 'project_list',
    title: 'List a folder',
    description:
      'Lists the entries of one folder, one name a line; folders end with a slash. For more entries, call again with offset.',
    input: z.object({
      path: Folder,
      offset: z.int().min(0).default(0).describe('Entries to skip.'),
      limit: count(1_000, 1_000).describe('Maximum number of entries.'),
    }),
    output: z.object({ total: z.int(), offset: z.int(), truncated: z.boolean() }),
    job: 'list',
    request: (args, bytes) => ({ ...args, bytes }),
    answer: textAnswer,
  }),
  defineJobTool(ports, {
    name: 'project_tree',
    title: 'Folder tree',
    description:
      'Returns the folders and files below a path as an indented tree, as many levels as fit, without files that .gitignore excludes. cut says what is missing.',
    input: z.object({
      path: Folder,
      depth: count(64, 4).describe('Maximum number of levels.'),
      exclude: z.array(z.string().max(500)).max(50).default([]).describe('Globs of paths to leave out.'),
      ignored: Ignored,
      limit: count(2_000, 500).describe('Maximum number of entries.'),
    }),
    output: z.object({ entries: z.int(), depth: z.int().describe('Levels shown.'), cut: Cut }),
    job: 'tree',
    request: (args, bytes) => ({ ...args, bytes }),
    answer: textAnswer,
  }),
  defineJobTool(ports, {
    name: 'project_glob',
    title: 'Find files by name',
    description:
      'Finds files by a glob such as src/**/*.ts or *.{yml,yaml}, one path a line, without files that .gitignore excludes.',
    input: z.object({
      pattern: z
        .string()
        .min(1)
        .max(500)
        .describe('The glob. Without a slash it matches names in every folder.'),
      path: Folder,
      ignored: Ignored,
      limit: count(2_000, 200).describe('Maximum number of paths.'),
    }),
    output: z.object({ matches: z.int(), truncated: z.boolean() }),
    job: 'glob',
    request: (args, bytes) => ({ ...args, bytes }),
    answer: textAnswer,
  }),
  defineJobTool(ports, {
    name: 'project_search',
    title: 'Search in files',
    description:
      'Searches text files for a regular expression or a literal text and returns the matching lines with their numbers, grouped by file, without files that .gitignore excludes. cut says what is missing.',
    input: z.object({
      pattern: z.string().min(1).max(1_000).describe('JavaScript regular expression.'),
      literal: z.boolean().default(false).describe('The pattern is literal text, not a regular expression.'),
      ignoreCase: z.boolean().default(false).describe('Ignore upper and lower case.'),
      path: Folder,
      glob: z.string().min(1).max(500).optional().describe('Search only files that match this glob.'),
      ignored: Ignored,
      context: z.int().min(0).max(10).default(0).describe('Lines to show before and after each match.'),
      limit: count(1_000, 100).describe('Maximum number of matches.'),
    }),
    output: z.object({ matches: z.int(), files: z.int(), searched: z.int(), cut: Cut }),
    job: 'search',
    request: (args, bytes) => ({ ...args, bytes }),
    answer: textAnswer,
  }),
]

const SymbolPage = z.object({ symbols: z.int(), truncated: z.boolean() })

const symbolTools = (ports: ProjectPorts): Tool[] => [
  defineJobTool(ports, {
    name: 'project_symbols',
    title: 'Symbols of a file',
    description:
      'Returns the outline of a source file: first and last line, kind and name of each declaration, members indented. For TypeScript, JavaScript, Java, Kotlin, Python, Go and Swift.',
    input: z.object({
      path: PathInput,
      depth: count(8, 2).describe('Maximum number of levels.'),
      limit: count(1_000, 300).describe('Maximum number of symbols.'),
    }),
    output: SymbolPage.extend({ depth: z.int().describe('Levels shown.'), modified: z.string() }),
    job: 'outline',
    request: (args, bytes) => ({ ...args, bytes }),
    answer: textAnswer,
  }),
  defineJobTool(ports, {
    name: 'project_find_symbol',
    title: 'Find a declaration',
    description:
      'Finds declarations by name or as Class/member in the syntax trees: path, lines, kind and full name. Then read the lines with project_read.',
    input: z.object({
      name: z.string().min(1).max(200).describe('The name, or Class/member.'),
      part: z.boolean().default(false).describe('Match any declaration whose name contains the last name.'),
      path: Folder,
      limit: count(500, 50).describe('Maximum number of declarations.'),
    }),
    output: SymbolPage,
    job: 'symbol',
    request: (args, bytes) => ({ ...args, bytes }),
    answer: textAnswer,
  }),
  defineJobTool(ports, {
    name: 'project_find_references',
    title: 'Find uses of a name',
    description:
      'Finds the lines that use a name, not counting comments and strings. Declarations of the same name are not distinguished.',
    input: z.object({
      name: z.string().min(1).max(200).describe('The name.'),
      path: Folder,
      limit: count(1_000, 100).describe('Maximum number of lines.'),
    }),
    output: SymbolPage,
    job: 'uses',
    request: (args, bytes) => ({ ...args, bytes }),
    answer: textAnswer,
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

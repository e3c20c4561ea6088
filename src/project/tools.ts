import * as z from 'zod'
import type { Toolset } from '../kernel/catalog.ts'
import { ContentAnswer } from '../kernel/content-answer.ts'
import type { Tool } from '../kernel/tool.ts'
import type { FileResult } from './files/read.ts'
import { sentinelTools } from './sentinel-tools.ts'
import { defineJobTool, lineInputs, PathInput, type ProjectPorts, warnHardLinked } from './tool-support.ts'
import { type WorkflowPorts, workflowTools } from './workflow-tools.ts'

const Folder = PathInput.default('.')
const Ignored = z.boolean().default(false).describe('Also what .gitignore leaves out.')
const Cut = z.string().optional().describe('What was left out, and why.')
const count = (most: number, otherwise: number) => z.int().min(1).max(most).default(otherwise)

const readTools = (ports: ProjectPorts): Tool[] => [
  defineJobTool(ports, {
    name: 'project_read',
    title: 'Read a file',
    description:
      'Gives the text of a file, all of it or the lines chosen, with its length and when it changed. A text too long for one answer ends at a whole line; go on with startLine.',
    input: z.object({ path: PathInput, ...lineInputs }),
    output: z.object({
      path: z.string(),
      size: z.int(),
      lines: z.int(),
      first: z.int().describe('First line given.'),
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
      'Gives the texts of up to 20 files, one content block each, in the order asked. A file that cannot be read says why and does not stop the others.',
    input: z.object({
      paths: z.array(PathInput).min(1).max(20).describe('Paths from the project root.'),
    }),
    output: z.object({
      files: z.array(
        z.object({
          path: z.string(),
          lines: z.int().optional(),
          modified: z.string().optional(),
          last: z.int().optional().describe('Last line given.'),
          error: z.string().optional(),
        }),
      ),
    }),
    job: 'many',
    request: ({ paths }, bytes) => ({ paths, bytes: bytes - 200 * paths.length }),
    answer: (files, call) => {
      for (const file of files) if (!('error' in file)) warnHardLinked(call, file)
      return new ContentAnswer({ files: files.map(summary) }, ...files.map(blockOf))
    },
  }),
  defineJobTool(ports, {
    name: 'project_info',
    title: 'File facts',
    description: 'Tells what a path is, its size, when it changed, and whether its text can be read.',
    input: z.object({ path: PathInput }),
    output: z.object({
      path: z.string(),
      kind: z.enum(['file', 'directory', 'link', 'other']),
      size: z.int(),
      modified: z.string(),
      shared: z.boolean().describe('The file has other names.'),
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

const blockOf = (file: FileResult): string => ('error' in file ? `Error: ${file.message}` : file.text)

/** The text as a content block, the other facts as structured content. */
const textAnswer = <T extends { readonly text: string }>({ text, ...facts }: T) =>
  new ContentAnswer(facts, text)

const findTools = (ports: ProjectPorts): Tool[] => [
  defineJobTool(ports, {
    name: 'project_list',
    title: 'List a folder',
    description: 'Lists the entries of one folder, a name a line, folders with a slash. Page on with offset.',
    input: z.object({
      path: Folder,
      offset: z.int().min(0).default(0).describe('Entries to skip.'),
      limit: count(1_000, 1_000).describe('Most entries.'),
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
      'Draws the folders and files below a path, indented, as many levels as fit, without what .gitignore leaves out. Says what was cut.',
    input: z.object({
      path: Folder,
      depth: count(64, 4).describe('Most levels.'),
      exclude: z.array(z.string().max(500)).max(50).default([]).describe('Globs to leave out.'),
      ignored: Ignored,
      limit: count(2_000, 500).describe('Most entries.'),
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
      'Finds files whose path fits a glob such as src/**/*.ts or *.{yml,yaml}, a path a line, without what .gitignore leaves out.',
    input: z.object({
      pattern: z.string().min(1).max(500).describe('The glob; without a slash, a name at any depth.'),
      path: Folder,
      ignored: Ignored,
      limit: count(2_000, 200).describe('Most paths.'),
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
      'Searches text files for a regular expression or a literal and gives the matching lines by file with their numbers, without what .gitignore leaves out. Says what was cut.',
    input: z.object({
      pattern: z.string().min(1).max(1_000).describe('JavaScript regular expression.'),
      literal: z.boolean().default(false).describe('Take the pattern as it is.'),
      ignoreCase: z.boolean().default(false).describe('Upper and lower case are the same.'),
      path: Folder,
      glob: z.string().min(1).max(500).optional().describe('Only files that fit it.'),
      ignored: Ignored,
      context: z.int().min(0).max(10).default(0).describe('Lines around each match.'),
      limit: count(1_000, 100).describe('Most matches.'),
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
      'Outlines a source file: first and last line, kind and name of what it declares, members indented. Knows TypeScript, JavaScript, Java, Kotlin, Python, Go and Swift.',
    input: z.object({
      path: PathInput,
      depth: count(8, 2).describe('Most levels.'),
      limit: count(1_000, 300).describe('Most symbols.'),
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
      'Finds where something is declared, by its name or as Class/member, from syntax trees: path, lines, kind and full name.',
    input: z.object({
      name: z.string().min(1).max(200).describe('The name, or Class/member.'),
      part: z.boolean().default(false).describe('A part of the last name is enough.'),
      path: Folder,
      limit: count(500, 50).describe('Most declarations.'),
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
      'Finds the lines that use a name, from syntax trees: not in comments, not in strings. Equal names of different things are not told apart.',
    input: z.object({
      name: z.string().min(1).max(200).describe('The name.'),
      path: Folder,
      limit: count(1_000, 100).describe('Most lines.'),
    }),
    output: SymbolPage,
    job: 'uses',
    request: (args, bytes) => ({ ...args, bytes }),
    answer: textAnswer,
  }),
]

/** What is in this repository. Everything reads; only the two report tools write, and only new reports. */
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

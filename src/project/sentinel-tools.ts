import * as z from 'zod'
import { ContentAnswer } from '../kernel/content-answer.ts'
import { defineTool, type Tool } from '../kernel/tool.ts'
import {
  lineInputs,
  PathInput,
  type ProjectPorts,
  runJob,
  textBytes,
  warnHardLinked,
} from './tool-support.ts'

const MAX_ENTRIES = 1_000

/** The tools of the architecture server, under the names its clients know. */
export const sentinelTools = (ports: ProjectPorts): Tool[] => [
  defineTool({
    name: 'readProjectStructure',
    title: 'Project structure',
    description:
      'Lists one folder of the project, a name a line, folders with a slash, without build output and hidden files. At most 1000 entries; page on with offset.',
    effect: 'read',
    input: z.object({
      path: PathInput,
      offset: z.int().min(0).optional().describe('Entries to skip.'),
    }),
    output: z.object({ total: z.int(), offset: z.int(), truncated: z.boolean() }),
    run: async ({ path, offset = 0 }, call) => {
      const { text, ...page } = await runJob(ports, call, 'structure', {
        path,
        offset,
        limit: MAX_ENTRIES,
        bytes: textBytes(ports),
      })
      return new ContentAnswer(page, text)
    },
  }),
  defineTool({
    name: 'readJavaFile',
    title: 'Read a source file',
    description:
      'Gives the text of a .java, .xml, .md, .properties, .yml or .yaml file of at most 10 MiB, all of it or the lines chosen.',
    effect: 'read',
    input: z.object({ path: PathInput, ...lineInputs }),
    output: z.object({
      size: z.int(),
      lines: z.int().describe('In the whole file.'),
      modified: z.string(),
      bom: z.literal(true).optional().describe('A byte order mark was taken off.'),
    }),
    run: async (args, call) => {
      const file = await runJob(ports, call, 'source', { ...args, bytes: textBytes(ports) })
      warnHardLinked(call, file)
      const { text, size, lines, modified, mark } = file
      return new ContentAnswer({ size, lines, modified, ...(mark && { bom: true as const }) }, text)
    },
  }),
  defineTool({
    name: 'write_architecture_report',
    title: 'Write a report',
    description:
      'Saves a Markdown report as SENTINEL_REPORT_YYYYMMDD[_NN].md directly under the project root. Never overwrites; without fileName the next free name of today is taken.',
    effect: 'write',
    input: z.object({
      content: z.string().describe('The report, at most 10 MiB.'),
      fileName: z.string().optional().describe('SENTINEL_REPORT_YYYYMMDD.md or with _01 to _99.'),
    }),
    output: z.object({ fileName: z.string(), path: z.string(), bytes: z.int() }),
    run: async (args, call) => {
      const report = await runJob(ports, call, 'report', args)
      call.log.write('info', 'report written', { file: report.fileName, bytes: report.bytes })
      return new ContentAnswer(report, `Report written: ${report.path}`)
    },
  }),
]

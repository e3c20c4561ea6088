import * as z from 'zod'
import { optional } from '../kernel/optional.ts'
import { TextAnswer } from '../kernel/text-answer.ts'
import { defineTool, NoOutput, type Tool } from '../kernel/tool.ts'
import { missingText, unseenText } from './files/read.ts'
import {
  answerTextBytes,
  DATA,
  factsWithText,
  lineInputs,
  noteOf,
  PathInput,
  type ProjectPorts,
  pageNotes,
  runJob,
  UNTRUSTED,
  warnHardLinked,
} from './tool-support.ts'

const MAX_ENTRIES = 1_000

/** The tools of sentinel-mcp. Their names and answers are a contract with its clients. */
export const sentinelTools = (ports: ProjectPorts): Tool[] => [
  defineTool({
    name: 'readProjectStructure',
    title: 'Project structure',
    description:
      'Lists one folder of the project, one name a line, without build output and hidden files; folders end with a slash. At most 1000 entries: for more, call again with offset.',
    effect: 'read',
    input: z.strictObject({
      path: PathInput,
      offset: z.int().min(0).optional().describe('Entries to skip.'),
    }),
    output: NoOutput,
    run: async ({ path, offset = 0 }, call) => {
      const page = await runJob(ports, call, 'structure', {
        path,
        offset,
        limit: MAX_ENTRIES,
        bytes: answerTextBytes(ports),
      })
      return factsWithText({ ...page, ...UNTRUSTED }, pageNotes(page))
    },
  }),
  defineTool({
    name: 'readJavaFile',
    title: 'Read a source file',
    description: `Returns the text of a .java, .xml, .md, .properties, .yml or .yaml file of at most 10 MiB, whole or by lines. ${DATA}`,
    effect: 'read',
    input: z.strictObject({ path: PathInput, ...lineInputs }),
    output: NoOutput,
    run: async (args, call) => {
      const file = await runJob(ports, call, 'source', { ...args, bytes: answerTextBytes(ports) })
      warnHardLinked(call, file)
      const { text, size, lines, modified, mark, hidden } = file
      const facts = {
        size,
        lines,
        modified,
        ...(mark && { bom: true }),
        ...optional({ hidden }),
        ...UNTRUSTED,
      }
      return new TextAnswer(facts, [text], noteOf([...missingText(file), ...unseenText(file)]))
    },
  }),
  defineTool({
    name: 'write_architecture_report',
    title: 'Write a report',
    description:
      'Saves a Markdown report as SENTINEL_REPORT_YYYYMMDD[_NN].md directly under the project root. Never overwrites a file; without fileName, takes the next free name of today.',
    effect: 'write',
    input: z.strictObject({
      content: z.string().describe('The report, at most 10 MiB.'),
      fileName: z.string().optional().describe('SENTINEL_REPORT_YYYYMMDD.md, or the same with _01 to _99.'),
    }),
    output: z.object({ fileName: z.string(), path: z.string(), bytes: z.int() }),
    render: ({ path }) => [{ type: 'text', text: `Report written: ${path}` }],
    run: async (args, call) => {
      const report = await runJob(ports, call, 'report', args)
      call.log.write('info', 'report written', { file: report.fileName, bytes: report.bytes })
      return report
    },
  }),
]

import * as z from 'zod'
import { StructureShape } from '../architecture/build/shape.ts'
import { REPORT_LANGUAGES } from '../architecture/report/model.ts'
import { TextAnswer } from '../kernel/text-answer.ts'
import { type CallContext, defineTool, NoOutput, type Tool } from '../kernel/tool.ts'
import { DATA, PathInput, type ProjectPorts, runJob, UNTRUSTED, withCallLog } from './tool-support.ts'
import type { RunWorkflow, WorkflowAnswers, WorkflowName, Workflows } from './workflow-jobs.ts'

/** The main members of the answers. Records may have more members; they are passed on. */

const Loose = z.looseObject({})
const Source = { source_file: z.string(), line: z.int() }
const Cut = z.string().optional().describe('What was left out for length.')
const Warnings = z.array(Loose)

const InterconnectionShape = z.looseObject({
  discovery_summary: z.object({
    inbound_services: z.array(z.looseObject({ protocol: z.string(), endpoint: z.string(), ...Source })),
    outbound_services: z.array(
      z.looseObject({ target_service: z.string(), protocol: z.string(), type: z.string(), ...Source }),
    ),
    connection_mapping: z.object({ inbound: z.array(z.string()), outbound: z.array(z.string()) }),
  }),
  warnings: Warnings,
  cut: Cut,
})

const SignatureShape = z.looseObject({
  files: z.array(
    z.looseObject({
      file: z.string(),
      types: z.array(z.looseObject({ name: z.string(), roles: z.array(z.string()) })),
    }),
  ),
  warnings: Warnings,
  cut: Cut,
})

const AnalysisShape = z.looseObject({
  trace: z.looseObject({ snapshot: z.string().describe('Digest of all results, without the time.') }),
  summary: z.array(z.string()),
  mermaid: z.string(),
  graph: z.object({ nodes: z.array(Loose), edges: z.array(Loose), renamed: z.array(z.string()) }),
  suggestions: z.array(z.looseObject({ severity: z.string(), subject: z.string() })),
  secrets: z.array(Loose),
  warnings: Warnings,
  report: z.string().describe('Markdown.'),
  cut: Cut,
})

/** The keys that lead to a list in an answer. */
type ListPath = readonly string[]

const answerList = (value: unknown, path: ListPath): unknown[] | undefined => {
  const found = path.reduce<unknown>((one, key) => (one as Record<string, unknown> | undefined)?.[key], value)
  return Array.isArray(found) ? found : undefined
}

/** Cuts the longest lists of an answer at their end until it fits, and says how much of each is missing. */
const shorten = <T extends object>(answer: T, bytes: number, paths: readonly ListPath[]): T => {
  const copy = structuredClone(answer)
  const before = paths.map((path) => answerList(copy, path)?.length ?? 0)
  const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value))
  const room = bytes - 1_000
  while (sizeOf(copy) > room) {
    const lists = paths.map((path) => answerList(copy, path) ?? []).sort((a, b) => sizeOf(b) - sizeOf(a))
    const [longest] = lists
    if (longest === undefined || longest.length === 0) break
    const excess = sizeOf(copy) - room
    const share = Math.max(1, Math.ceil((longest.length * excess) / Math.max(excess, sizeOf(longest))))
    longest.length = Math.max(0, longest.length - share)
  }
  const lost = paths.flatMap((path, at) => {
    const gone = (before[at] ?? 0) - (answerList(copy, path)?.length ?? 0)
    return gone > 0 ? [`${path.join('.')}: ${gone} of ${before[at]}`] : []
  })
  return { ...copy, cut: `Left out: ${lost.join('; ')}. Call again with a folder further down.` }
}

export interface WorkflowPorts extends ProjectPorts {
  readonly workflow: RunWorkflow
  /** Two dots anywhere in the path of a folder are refused, as clients of sentinel-mcp expect. */
  readonly refusesDots?: boolean
}

const Project = PathInput.describe('Folder from the project root; "." is the root.')
const Lang = z.enum(REPORT_LANGUAGES).default('en').describe('Language of the headings and sentences.')

const runWorkflow = <K extends WorkflowName>(
  { workflow, refusesDots }: WorkflowPorts,
  call: CallContext,
  name: K,
  args: Parameters<Workflows[K]>[1],
): Promise<WorkflowAnswers[K]> =>
  withCallLog(call, name, args.path, () =>
    workflow(name, refusesDots === true ? { ...args, refusesDots } : args, call),
  )

/** The answer of a workflow as data. What it quotes was written by others. */
const quoteWorkflow = async <K extends Exclude<WorkflowName, 'markdown' | 'html' | 'described'>>(
  ...[ports, call, name, args]: Parameters<typeof runWorkflow<K>>
): Promise<WorkflowAnswers[K] & typeof UNTRUSTED> => ({
  ...(await runWorkflow(ports, call, name, args)),
  ...UNTRUSTED,
})

const readingTools = (ports: WorkflowPorts): Tool[] => [
  defineTool({
    name: 'discover_service_interconnections',
    title: 'Discover service interconnections',
    description: `Finds the inbound connections of a project (REST, gRPC, messaging, schedules) and the outbound ones (clients, brokers, stores, configured addresses), each with file and line. Credentials are masked; test code is left out. ${DATA}`,
    effect: 'read',
    input: z.strictObject({ projectPath: Project }),
    output: InterconnectionShape,
    truncate: (answer, bytes) =>
      shorten(answer, bytes, [
        ['discovery_summary', 'inbound_services'],
        ['discovery_summary', 'outbound_services'],
        ['discovery_summary', 'connection_mapping', 'inbound'],
        ['discovery_summary', 'connection_mapping', 'outbound'],
        ['warnings'],
      ]),
    run: ({ projectPath }, call) => quoteWorkflow(ports, call, 'interconnections', { path: projectPath }),
  }),
  defineTool({
    name: 'get_project_structure',
    title: 'Project structure with dependencies',
    description: `Returns modules, packages, classes and libraries of a Maven, Gradle or npm project, as data and as a text tree. With orgPattern, libraries of matching groups are marked inHouse. ${DATA}`,
    effect: 'read',
    input: z.strictObject({
      projectPath: Project,
      orgPattern: z
        .string()
        .max(200)
        .optional()
        .describe('Group ids of your organization, such as "com.acme.*,org.acme".'),
    }),
    output: StructureShape,
    truncate: (answer, bytes) =>
      shorten({ ...answer, tree: answer.tree.slice(0, Math.floor(bytes / 4)) }, bytes, [
        ['root', 'modules'],
        ['dependencies'],
        ['project', 'dependencies', 'runtime'],
        ['project', 'dependencies', 'test'],
        ['warnings'],
      ]),
    run: ({ projectPath, orgPattern }, call) =>
      quoteWorkflow(ports, call, 'structure', { path: projectPath, orgPattern }),
  }),
  defineTool({
    name: 'extract_architectural_signatures',
    title: 'Extract architectural signatures',
    description: `Lists the types of every source file from its syntax tree: kind, roles, resolved annotations, injected types and methods, and the inbound and outbound connections of the file. ${DATA}`,
    effect: 'read',
    input: z.strictObject({ projectPath: Project }),
    output: SignatureShape,
    truncate: (answer, bytes) => shorten(answer, bytes, [['files'], ['warnings']]),
    run: ({ projectPath }, call) => quoteWorkflow(ports, call, 'signatures', { path: projectPath }),
  }),
  defineTool({
    name: 'analyze_project',
    title: 'Analyse a project',
    description: `Analyses a project: a summary, a Mermaid diagram with the source of every node and edge, suggestions by severity, secrets found, and the whole report as Markdown. Writes nothing; to save the report, call generate_master_arch_report. ${DATA}`,
    effect: 'read',
    input: z.strictObject({ rootPath: Project, lang: Lang }),
    output: AnalysisShape,
    truncate: (answer, bytes) =>
      shorten(answer, bytes, [
        ['graph', 'nodes'],
        ['graph', 'edges'],
        ['suggestions'],
        ['secrets'],
        ['warnings'],
      ]),
    run: ({ rootPath, lang }, call) => quoteWorkflow(ports, call, 'analysis', { path: rootPath, lang }),
  }),
]

/** Tools over a whole project: discovery, architecture, reports. */
export const workflowTools = (ports: WorkflowPorts): Tool[] => [
  ...readingTools(ports),
  defineTool({
    name: 'generate_master_arch_report',
    title: 'Write the architecture report',
    description: `Analyses a project and saves the report as SENTINEL_REPORT_YYYYMMDD[_NN].md directly under the root. Returns the report, its path and its name. Never overwrites a file. ${DATA}`,
    effect: 'write',
    // Clients of sentinel-mcp expect `required` in every schema, even when it is empty.
    input: z.strictObject({ projectPath: Project.default('.'), lang: Lang }).meta({ required: [] }),
    output: NoOutput,
    run: async ({ projectPath, lang }, call) => {
      const content = await runWorkflow(ports, call, 'markdown', { path: projectPath, lang })
      const report = await runJob(ports, call, 'report', { content })
      call.log.write('info', 'report written', { file: report.fileName, bytes: report.bytes })
      return new TextAnswer(
        { ...report, ...UNTRUSTED },
        [content],
        `saved as ${report.path}, ${report.bytes} bytes`,
      )
    },
  }),
]

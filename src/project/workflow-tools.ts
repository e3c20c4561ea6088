import * as z from 'zod'
import { StructureShape } from '../architecture/build/shape.ts'
import { REPORT_LANGUAGES } from '../architecture/report/model.ts'
import { TextAnswer } from '../kernel/text-answer.ts'
import { type CallContext, defineTool, NoOutput, type Tool } from '../kernel/tool.ts'
import { DATA, PathInput, type ProjectPorts, runJob, UNTRUSTED, withCallLog } from './tool-support.ts'
import type { RunWorkflow, WorkflowAnswers, WorkflowName, Workflows } from './workflow-jobs.ts'
import { AnalysisShape, InterconnectionShape, SignatureShape, shorten } from './workflow-schemas.ts'

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

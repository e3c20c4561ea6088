import { createHash } from 'node:crypto'
import { type Architecture, analyse } from '../architecture/architecture.ts'
import { discover } from '../architecture/build/discovery.ts'
import { summarize } from '../architecture/connections/interconnections.ts'
import { fitGraph, renderArchitectureMermaid } from '../architecture/mermaid.ts'
import { composeReport, type ReportFacts } from '../architecture/report/content.ts'
import { writeHtml } from '../architecture/report/html.ts'
import { writeMarkdown } from '../architecture/report/markdown.ts'
import type { ReportLanguage } from '../architecture/report/model.ts'
import { composePage } from '../architecture/report/page.ts'
import { REPORT_STRINGS } from '../architecture/report/strings.ts'
import { reportSummary } from '../architecture/report/summary.ts'
import { describeSystem } from '../architecture/report/system-description.ts'
import { type ProjectFiles, WALK_LIMITS } from '../architecture/source/source-files.ts'
import type { ReadingCache } from '../architecture/source/source-reading.ts'
import { digestJson } from '../kernel/encoding/hash.ts'
import type { CheckDeadline, Jail } from '../kernel/jail.ts'
import { optional } from '../kernel/optional.ts'
import type { SyntaxParser } from '../kernel/syntax-tree.ts'
import { maskAll } from '../kernel/text/secrets.ts'
import { jailedFiles, type RequestedFolder } from './files/jailed-files.ts'

/** The dependencies of a workflow in its worker thread. */
interface WorkflowContext {
  readonly jail: Jail
  readonly parser: () => SyntaxParser
  readonly checkDeadline: CheckDeadline
  readonly now: () => number
  readonly progress: (done: number, total: number) => void
  /** Called between two files. */
  readonly freeNativeMemory: () => Promise<void>
  /** Readings of an earlier analysis of the same project, if they are kept. */
  readonly openReadings?: (() => Promise<ReadingCache>) | undefined
  /** Version of this program, shown in reports. */
  readonly version: string
}

interface ReportArgs extends RequestedFolder {
  readonly lang: ReportLanguage
}

const timestamp = ({ now }: WorkflowContext): string => new Date(now()).toISOString()

const filesAt = ({ jail, checkDeadline }: WorkflowContext, folder: RequestedFolder): ProjectFiles =>
  jailedFiles(jail, folder, checkDeadline)

const study = async (context: WorkflowContext, files: ProjectFiles): Promise<Architecture> => {
  const { checkDeadline, progress, freeNativeMemory, openReadings } = context
  return analyse(files, context.parser(), {
    at: timestamp(context),
    checkDeadline,
    progress,
    freeNativeMemory,
    readings: await openReadings?.(),
  })
}

const BUILD_FILES = ['pom.xml', 'build.gradle.kts', 'build.gradle', 'package.json']

const factsOf = (context: WorkflowContext, files: ProjectFiles, root: string): ReportFacts => {
  const file = BUILD_FILES.find((one) => files.read(one) !== undefined)
  const text = file === undefined ? undefined : files.read(file)
  const build =
    file === undefined || text === undefined
      ? undefined
      : { file, sha256: createHash('sha256').update(text).digest('hex') }
  return {
    at: timestamp(context),
    root,
    version: context.version,
    ...optional({ build }),
  }
}

/** A saved report names the absolute root. One in an answer repeats only the requested path. */
const composeModel = async (
  context: WorkflowContext,
  args: ReportArgs,
  saved: boolean,
  compose = composeReport,
) => {
  const files = filesAt(context, args)
  const found = await study(context, files)
  const facts = factsOf(context, files, saved ? files.root : args.path)
  return { found, model: compose(found, facts, args.lang) }
}

/** All workflows by name. Arguments and answers are plain data; credentials in answers are masked. */
export const WORKFLOWS = {
  structure: async (
    context: WorkflowContext,
    { orgPattern, ...folder }: RequestedFolder & { readonly orgPattern?: string | undefined },
  ) => {
    const files = filesAt(context, folder)
    const survey = files.walk(WALK_LIMITS)
    const { checkDeadline, progress } = context
    return maskAll(discover(files, survey, { at: timestamp(context), checkDeadline, progress, orgPattern }))
  },
  interconnections: async (context: WorkflowContext, folder: RequestedFolder) => {
    const { connections, warnings } = await study(context, filesAt(context, folder))
    return maskAll({ ...summarize(connections), warnings })
  },
  signatures: async (context: WorkflowContext, folder: RequestedFolder) => {
    const { signatures, warnings } = await study(context, filesAt(context, folder))
    return maskAll({ files: signatures, warnings })
  },
  analysis: async (context: WorkflowContext, args: ReportArgs) => {
    const { found, model } = await composeModel(context, args, false)
    const { graph, system, suggestions, secrets, warnings } = found
    const { structure, ...results } = found
    // `structure` holds the time of the scan; equal projects must have equal digests.
    const snapshot = digestJson(JSON.parse(JSON.stringify({ ...results, modules: structure.root })))
    return maskAll({
      trace: { rootPath: args.path, timestamp: timestamp(context), snapshot },
      summary: reportSummary(found, REPORT_STRINGS[args.lang]),
      mermaid: renderArchitectureMermaid(fitGraph(graph)),
      graph,
      system,
      suggestions,
      secrets,
      warnings,
      report: writeMarkdown(model),
    })
  },
  markdown: async (context: WorkflowContext, args: ReportArgs) =>
    writeMarkdown((await composeModel(context, args, true)).model),
  /** Services, relations and endpoints as data, with the report. */
  described: async (context: WorkflowContext, { html, ...args }: ReportArgs & { readonly html: boolean }) => {
    const { found, model } = await composeModel(context, args, true, html ? composePage : composeReport)
    return {
      report: html ? writeHtml(model) : writeMarkdown(model),
      system: maskAll(describeSystem(found)),
    }
  },
  html: async (context: WorkflowContext, args: ReportArgs) =>
    writeHtml((await composeModel(context, args, true, composePage)).model),
}

export type Workflows = typeof WORKFLOWS
export type WorkflowName = keyof Workflows

export type WorkflowAnswers = { readonly [K in WorkflowName]: Awaited<ReturnType<Workflows[K]>> }

/** Runs a workflow in a worker thread: it takes seconds and must not block other calls. */
export type RunWorkflow = <K extends WorkflowName>(
  name: K,
  args: Parameters<Workflows[K]>[1],
  call: { readonly signal: AbortSignal; progress(done: number, total?: number): void },
) => Promise<WorkflowAnswers[K]>

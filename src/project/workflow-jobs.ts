import { createHash } from 'node:crypto'
import { digestJson } from '../kernel/encoding/hash.ts'
import type { CheckDeadline, Jail } from '../kernel/jail.ts'
import { type Architecture, analyse } from './architecture/architecture.ts'
import { fitGraph, renderArchitectureMermaid } from './architecture/mermaid.ts'
import { discover } from './build/discovery.ts'
import { summarize } from './connections/interconnections.ts'
import { composeReport, type ReportFacts } from './report/content.ts'
import { writeHtml } from './report/html.ts'
import { writeMarkdown } from './report/markdown.ts'
import type { ReportLanguage } from './report/model.ts'
import { REPORT_STRINGS } from './report/strings.ts'
import { summaryOf } from './report/summary.ts'
import { maskAll } from './secrets.ts'
import { jailedFiles } from './source/jailed-files.ts'
import { type ProjectFiles, WALK_LIMITS } from './source/source-files.ts'
import type { SyntaxParser } from './source/syntax-tree.ts'

/** What a workflow works with, in the thread where it runs. */
export interface WorkflowContext {
  readonly jail: Jail
  readonly parser: () => SyntaxParser
  readonly checkDeadline: CheckDeadline
  readonly now: () => number
  readonly progress: (done: number, total: number) => void
  /** Makes room between two files; a promise when that takes a moment. */
  readonly freeNativeMemory: () => Promise<void> | undefined
  /** Of this program, for reports. */
  readonly version: string
}

interface PathArgs {
  readonly path: string
}

interface ReportArgs extends PathArgs {
  readonly lang: ReportLanguage
}

const stampOf = ({ now }: WorkflowContext): string => new Date(now()).toISOString()

const filesAt = ({ jail, checkDeadline }: WorkflowContext, path: string): ProjectFiles =>
  jailedFiles(jail, path, checkDeadline)

const study = (context: WorkflowContext, files: ProjectFiles): Promise<Architecture> => {
  const { checkDeadline, progress, freeNativeMemory } = context
  return analyse(files, context.parser(), { at: stampOf(context), checkDeadline, progress, freeNativeMemory })
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
    at: stampOf(context),
    root,
    version: context.version,
    ...(build !== undefined && { build }),
  }
}

/** A report that is kept names the folder it is about; one that goes to whoever asks repeats only what was asked. */
const modelOf = async (context: WorkflowContext, { path, lang }: ReportArgs, kept: boolean) => {
  const files = filesAt(context, path)
  const found = await study(context, files)
  const facts = factsOf(context, files, kept ? files.root : path)
  return { found, model: composeReport(found, facts, lang) }
}

/** Every workflow by name. Arguments and answers are plain data, and nothing secret is in an answer. */
export const WORKFLOWS = {
  structure: async (
    context: WorkflowContext,
    { path, orgPattern }: PathArgs & { readonly orgPattern?: string | undefined },
  ) => {
    const files = filesAt(context, path)
    const survey = files.walk(WALK_LIMITS, context.checkDeadline)
    return maskAll(
      discover(files, survey, { at: stampOf(context), checkDeadline: context.checkDeadline, orgPattern }),
    )
  },
  interconnections: async (context: WorkflowContext, { path }: PathArgs) => {
    const { connections, warnings } = await study(context, filesAt(context, path))
    return maskAll({ ...summarize(connections), warnings })
  },
  signatures: async (context: WorkflowContext, { path }: PathArgs) => {
    const { signatures, warnings } = await study(context, filesAt(context, path))
    return maskAll({ files: signatures, warnings })
  },
  analysis: async (context: WorkflowContext, args: ReportArgs) => {
    const { found, model } = await modelOf(context, args, false)
    const { graph, suggestions, secrets, warnings } = found
    const { structure, ...told } = found
    // The moment is no part of what was found.
    const snapshot = digestJson(JSON.parse(JSON.stringify({ ...told, modules: structure.root })))
    return maskAll({
      trace: { rootPath: args.path, timestamp: stampOf(context), snapshot },
      summary: summaryOf(found, REPORT_STRINGS[args.lang]),
      mermaid: renderArchitectureMermaid(fitGraph(graph)),
      graph,
      suggestions,
      secrets,
      warnings,
      report: writeMarkdown(model),
    })
  },
  markdown: async (context: WorkflowContext, args: ReportArgs) =>
    writeMarkdown((await modelOf(context, args, true)).model),
  html: async (context: WorkflowContext, args: ReportArgs) =>
    writeHtml((await modelOf(context, args, true)).model),
}

export type Workflows = typeof WORKFLOWS
export type WorkflowName = keyof Workflows

/** What each of them answers in the end. */
export type WorkflowAnswers = { readonly [K in WorkflowName]: Awaited<ReturnType<Workflows[K]>> }

/** Has a workflow done elsewhere: it takes seconds, and nobody else should wait for it. */
export type RunWorkflow = <K extends WorkflowName>(
  name: K,
  args: Parameters<Workflows[K]>[1],
  call: { readonly signal: AbortSignal; progress(done: number, total?: number): void },
) => Promise<WorkflowAnswers[K]>

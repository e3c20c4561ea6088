import { SENTINEL_RULES } from './access-rules.ts'
import {
  describePath,
  findFiles,
  listFolder,
  listStructure,
  type PageArgs,
  renderFileTree,
} from './files/list.ts'
import { type ReadArgs, readMany, readText } from './files/read.ts'
import { searchText } from './files/search.ts'
import type { JobContext } from './job-context.ts'
import { saveReport } from './report-file-name.ts'
import { findSymbol, findUses, outlineFile } from './symbols/symbols.ts'

/** All jobs by name. Arguments and results are plain data, because they cross threads. */
export const JOBS = {
  structure: (context: JobContext, args: PageArgs) => listStructure(context, SENTINEL_RULES, args),
  source: (context: JobContext, args: ReadArgs) => readText(context, SENTINEL_RULES, args),
  report: saveReport,
  read: (context: JobContext, args: ReadArgs) => readText(context, context.rules, args),
  many: readMany,
  list: listFolder,
  info: describePath,
  tree: renderFileTree,
  glob: findFiles,
  search: searchText,
  outline: outlineFile,
  symbol: findSymbol,
  uses: findUses,
}

export type Jobs = typeof JOBS
export type JobName = keyof Jobs

/** Runs a job in a worker thread, so that a blocking system call does not stop the server. */
export type RunJob = <K extends JobName>(
  name: K,
  args: Parameters<Jobs[K]>[1],
  call: { readonly signal: AbortSignal },
) => Promise<ReturnType<Jobs[K]>>

import { SENTINEL_RULES } from './access-rules.ts'
import { describePath, listFolder, listStructure, type PageArgs } from './files/list.ts'
import { type ReadArgs, readMany, readText } from './files/read.ts'
import { searchText } from './files/search.ts'
import { drawTree, findFiles } from './files/tree.ts'
import type { Desk } from './job-context.ts'
import { writeReport } from './report/report.ts'
import { findSymbol, findUses, outlineFile } from './symbols/symbols.ts'

/** Everything that can be asked of the files, by name. Arguments and answers are plain data: they change threads. */
export const JOBS = {
  structure: (desk: Desk, args: PageArgs) => listStructure(desk, SENTINEL_RULES, args),
  source: (desk: Desk, args: ReadArgs) => readText(desk, SENTINEL_RULES, args),
  report: writeReport,
  read: (desk: Desk, args: ReadArgs) => readText(desk, desk.rules, args),
  many: readMany,
  list: listFolder,
  info: describePath,
  tree: drawTree,
  glob: findFiles,
  search: searchText,
  outline: outlineFile,
  symbol: findSymbol,
  uses: findUses,
}

export type Jobs = typeof JOBS
export type JobName = keyof Jobs

/** Has a job done, in a place that may hang without harm. */
export type RunJob = <K extends JobName>(
  name: K,
  args: Parameters<Jobs[K]>[1],
  call: { readonly signal: AbortSignal },
) => Promise<ReturnType<Jobs[K]>>

import type { Scope } from '../../../gate/ports.ts'
import { type RepairedFiles, repairFiles } from '../../../gate/repair-files.ts'
import type { GateRun } from '../../../gate/reports/report.ts'
import { replaceRepositoryFile } from '../../../platform/files/output-file.ts'
import { stageFile } from '../../../platform/git/stage-file.ts'
import { type Invocation, usageFaults } from '../../../surfaces/cli/command.ts'
import type { Config } from '../../config/settings.ts'
import type { OpenGate } from '../../open/gate.ts'

const NO_ABORT = new AbortController().signal
/** The size limit of files that are scanned. */
const MAX_BYTES = 2 * 1024 * 1024

/** Applies the safe edits of a run to the files that it judged. */
export const repairRun = async (
  { root, ports, files }: OpenGate,
  { run, scope, dryRun }: { readonly run: GateRun; readonly scope: Scope; readonly dryRun: boolean },
  { gitFolders }: Config,
): Promise<RepairedFiles> => {
  if (scope.kind === 'range')
    throw usageFaults.option('--fix repairs files, not commits: use it with --scope staged or worktree')
  const set = await ports.git.changes(scope, NO_ABORT)
  const environment = process.env
  const index = environment.GIT_INDEX_FILE
  const start = { folder: root, environment, gitFolders, ...(index !== undefined && { indexFile: index }) }
  const readJudged = (paths: readonly string[]) => set.read(paths, NO_ABORT)
  const readWorktree = (path: string) => files.read(path, MAX_BYTES)
  const write = (path: string, text: string) => replaceRepositoryFile(root, path, text)
  const stage = (path: string, text: string) => stageFile(start, path, text, NO_ABORT)
  const repairPorts = { readJudged, readWorktree, write, stage: scope.kind === 'staged' ? stage : undefined }
  return repairFiles(run, repairPorts, dryRun)
}

const count = (number: number, word: string): string => `${number} ${word}${number === 1 ? '' : 's'}`

/** Prints the difference that a repair would make. */
export const printDryRun = ({ terminal, json }: Invocation, result: RepairedFiles): void => {
  if (json) terminal.print(JSON.stringify(result))
  else for (const { diff } of result.repaired) terminal.print(diff)
}

/** Says on stderr what was repaired and what was not. */
export const printRepairs = ({ terminal, flags }: Invocation, result: RepairedFiles): void => {
  const { repaired, refused, left } = result
  if (!flags.quiet) {
    for (const { file, edits } of repaired)
      terminal.printError(
        `warrant: ${count(edits, 'edit')} in ${file}${flags['dry-run'] ? ' (dry run)' : ''}`,
      )
    if (repaired.length === 0) terminal.printError('warrant: there is nothing to repair')
  }
  for (const { file, why } of refused) terminal.printError(`warrant: ${file} was not repaired: ${why}`)
  if (left > 0)
    terminal.printError(`warrant: ${count(left, 'edit')} overlapped others; run --fix again to apply them`)
}

import type { Config } from '../../app/config/settings.ts'
import type { OpenGate } from '../../app/open/gate.ts'
import type { GateStage } from '../../evidence/stage.ts'
import { stageScope } from '../../gate/facts/scope.ts'
import type { Scope } from '../../gate/ports.ts'
import { type RepairedFiles, repairFiles } from '../../gate/repair.ts'
import type { GateRun } from '../../gate/reports/report.ts'
import { optional } from '../../kernel/optional.ts'
import { plural } from '../../kernel/text/plural.ts'
import { replaceRepositoryFile } from '../../platform/files/output-file.ts'
import { stageFile } from '../../platform/git/stage-file.ts'
import { type Invocation, usageFaults } from '../command/command.ts'
import { requireWritable } from '../command/subcommand.ts'
import { judgeChange } from './judge-change.ts'
import { NEVER_ABORTED } from './pick-scope.ts'

/** The size limit of files that are scanned. */
const MAX_BYTES = 2 * 1024 * 1024

/** Applies the safe edits of a run to the files that it judged. */
const repairRun = async (
  { root, ports, files }: OpenGate,
  { run, scope, dryRun }: { readonly run: GateRun; readonly scope: Scope; readonly dryRun: boolean },
  { gitFolders }: Config,
): Promise<RepairedFiles> => {
  if (scope.kind === 'range')
    throw usageFaults.option('--fix repairs files, not commits: use it with --scope staged or worktree')
  const set = await ports.change.git.changes(scope, NEVER_ABORTED)
  const environment = process.env
  const index = environment.GIT_INDEX_FILE
  const start = { folder: root, environment, gitFolders, ...optional({ indexFile: index }) }
  const readJudged = (paths: readonly string[]) => set.read(paths, NEVER_ABORTED)
  const readWorktree = (path: string) => files.read(path, MAX_BYTES)
  const write = (path: string, text: string) => replaceRepositoryFile(root, path, text)
  const stage = (path: string, text: string) => stageFile(start, path, text, NEVER_ABORTED)
  const repairPorts = { readJudged, readWorktree, write, stage: scope.kind === 'staged' ? stage : undefined }
  return repairFiles(run, repairPorts, dryRun)
}

/** Prints the difference that a repair would make. */
const printDryRun = ({ terminal, json }: Invocation, result: RepairedFiles): void => {
  if (json) terminal.print(JSON.stringify(result))
  else for (const { diff } of result.repaired) terminal.print(diff)
}

/** Says on stderr what was repaired and what was not. */
const printRepairs = ({ terminal, flags }: Invocation, result: RepairedFiles): void => {
  const { repaired, refused, left } = result
  if (!flags.quiet) {
    for (const { file, edits } of repaired)
      terminal.printError(
        `warrant: ${plural(edits, 'edit')} in ${file}${flags['dry-run'] ? ' (dry run)' : ''}`,
      )
    if (repaired.length === 0) terminal.printError('warrant: there is nothing to repair')
  }
  for (const { file, why } of refused) terminal.printError(`warrant: ${file} was not repaired: ${why}`)
  if (left > 0)
    terminal.printError(`warrant: ${plural(left, 'edit')} overlapped others; run --fix again to apply them`)
}

interface RepairRequest {
  readonly gate: OpenGate
  readonly stage: GateStage
  readonly scopes: readonly (Scope | undefined)[]
}

/** Applies safe repairs. True when the command is done, because it was a dry run. */
export const repairChange = async (
  invocation: Invocation,
  config: Config,
  { gate, stage, scopes }: RepairRequest,
): Promise<boolean> => {
  const dryRun = invocation.flags['dry-run'] === true
  if (!dryRun) requireWritable(config, '--fix')
  for (const one of scopes) {
    const scope =
      one ?? (await stageScope(stage, { git: gate.ports.change.git, build: undefined }, NEVER_ABORTED))
    const run = await judgeChange(invocation, gate, { stage, scope, write: false })
    const result = await repairRun(gate, { run, scope, dryRun }, config)
    if (dryRun) printDryRun(invocation, result)
    printRepairs(invocation, result)
  }
  return dryRun
}

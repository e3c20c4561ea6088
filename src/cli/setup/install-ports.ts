import { relative, resolve, sep } from 'node:path'
import type { OpenedRepository } from '../../app/open/repository.ts'
import { isPathInside } from '../../kernel/text/path-inside.ts'
import { fileEvidence } from '../../platform/files/evidence-file.ts'
import { removeFile } from '../../platform/files/remove-file.ts'
import { addNotesFetch, removeNotesFetch } from '../../platform/git/notes/fetch-settings.ts'
import { systemClock } from '../../platform/system/clock.ts'
import type { InstallationPorts } from '../../setup/git-hooks/install.ts'
import { runningProgram } from '../client-command.ts'

/** The state folder relative to the repository; undefined when it lies outside. */
const stateFolder = ({ root, config }: OpenedRepository): string | undefined => {
  const path = resolve(config.root, config.stateDir)
  return isPathInside(root, path) ? relative(root, path).replaceAll(sep, '/') || undefined : undefined
}

/** The first evidence is that of a run over the working tree: evidence that no rule made says nothing. */
const runFirstGate = (context: OpenedRepository) => async () => {
  const { root, config } = context
  if ((await fileEvidence(root, systemClock).read()).kind !== 'missing') return undefined
  const { judgeWorktree } = await import('../gate/judge-change.ts')
  return (await judgeWorktree(config)).report.status
}

const notesPort = ({ root, config }: OpenedRepository): InstallationPorts['notes'] => {
  const start = { folder: root, environment: process.env, gitFolders: config.gitFolders }
  return {
    add: (signal) => addNotesFetch(start, signal),
    remove: (signal) => removeNotesFetch(start, signal),
  }
}

export const installPorts = (context: OpenedRepository): InstallationPorts => ({
  ...context.lifecycle,
  clock: systemClock,
  program: runningProgram(),
  stateFolder: stateFolder(context),
  runFirstGate: runFirstGate(context),
  notes: notesPort(context),
  removeFile: (path) => removeFile(context.root, path),
})

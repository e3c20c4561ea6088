import { realpathSync } from 'node:fs'
import { relative, resolve, sep } from 'node:path'
import { buildEvidence } from '../../../evidence/build.ts'
import { readRepoState } from '../../../gate/facts/repo-state.ts'
import type { InstallationPorts } from '../../../gate/install/install.ts'
import { repoLifecycle } from '../../../gate/install/installation.ts'
import { isPathInside } from '../../../kernel/text/path-inside.ts'
import { fileEvidence } from '../../../platform/files/evidence-file.ts'
import { removeFile } from '../../../platform/files/remove-file.ts'
import { systemClock } from '../../../platform/system/clock.ts'
import type { OpenedRepository } from '../../open/repository.ts'

/** The state folder relative to the repository; undefined when it lies outside. */
const stateFolder = ({ root, config }: OpenedRepository): string | undefined => {
  const path = resolve(config.root, config.stateDir)
  return isPathInside(root, path) ? relative(root, path).replaceAll(sep, '/') || undefined : undefined
}

/** Writes a first evidence file without findings, so that readers of evidence find one. */
const bootstrapEvidence = (context: OpenedRepository) => async (signal: AbortSignal) => {
  const store = fileEvidence(context.root, systemClock)
  if ((await store.read()).kind !== 'missing') return false
  const lifecycle = () => repoLifecycle(context.lifecycle, signal)
  const repoState = await readRepoState({ git: context.git, folder: context.root, lifecycle }, signal)
  const empty = { stage: 'PRE_COMMIT', outcome: 'PASS', findings: [], platforms: {}, rulesets: [] } as const
  await store.replace((previous) => buildEvidence({ ...empty, repoState }, previous, systemClock.now()))
  return true
}

export const installPorts = (context: OpenedRepository): InstallationPorts => ({
  ...context.lifecycle,
  clock: systemClock,
  program: realpathSync(process.argv[1] ?? ''),
  stateFolder: stateFolder(context),
  bootstrapEvidence: bootstrapEvidence(context),
  removeFile: (path) => removeFile(context.root, path),
})

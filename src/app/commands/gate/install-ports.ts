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

/** The state folder as the repository sees it; undefined when it lies elsewhere. */
const stateFolder = ({ root, config }: OpenedRepository): string | undefined => {
  const path = resolve(config.root, config.stateDir)
  return isPathInside(root, path) ? relative(root, path).replaceAll(sep, '/') || undefined : undefined
}

/** A first file, so that whoever asks for evidence finds some: nothing was found, because nothing was looked at. */
const bootstrap = (context: OpenedRepository) => async (signal: AbortSignal) => {
  const store = fileEvidence(context.root, systemClock)
  if ((await store.read()).kind !== 'missing') return false
  const lifecycle = () => repoLifecycle(context.lifecycle, signal)
  const repoState = await readRepoState({ git: context.git, folder: context.root, lifecycle }, signal)
  const nothing = { stage: 'PRE_COMMIT', outcome: 'PASS', findings: [], platforms: {}, rulesets: [] } as const
  await store.replace((previous) => buildEvidence({ ...nothing, repoState }, previous, systemClock.now()))
  return true
}

export const installPorts = (context: OpenedRepository): InstallationPorts => ({
  ...context.lifecycle,
  clock: systemClock,
  program: realpathSync(process.argv[1] ?? ''),
  stateFolder: stateFolder(context),
  bootstrapEvidence: bootstrap(context),
  removeFile: (path) => removeFile(context.root, path),
})

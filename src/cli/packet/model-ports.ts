import { packetRoot } from '../../app/config/packet-root.ts'
import type { Config } from '../../app/config/settings.ts'
import { type EmbedderPorts, embedderForBuild } from '../../app/open/embedders.ts'
import type { EmbedCall, Embedder } from '../../packets/embed.ts'
import { isReference } from '../../packets/format/reference.ts'
import type { Invocation } from '../command/command.ts'
import { withProgress } from '../progress.ts'
import { NO_ABORT, progressJob } from './settings.ts'

const QUIET: EmbedCall = { signal: NO_ABORT, watch: () => {} }

/** Chooses an embedder. A pinned model is downloaded now, with progress; later it needs no registry. */
export const withModelPorts = async <T>(
  invocation: Invocation,
  config: Config,
  choose: (ports: EmbedderPorts, call: EmbedCall) => Promise<T>,
): Promise<T> => {
  if (!isReference(config.embedder)) return choose({ folder: packetRoot(config) }, QUIET)
  // Loaded only here: most builds need no registry.
  const { openPinnedPorts } = await import('./pinned-ports.ts')
  const { close, ...ports } = openPinnedPorts(config)
  return withProgress(progressJob(invocation, 'pull', 'bytes'), (progress) =>
    choose(ports, { signal: NO_ABORT, watch: (_, done, total) => progress(done, total) }),
  ).finally(close)
}

/** The embedder of a new packet. */
export const openBuildEmbedder = async (invocation: Invocation, config: Config): Promise<Embedder> => {
  const embedder = await withModelPorts(invocation, config, (ports, call) =>
    embedderForBuild(config, ports, call),
  )
  if (!invocation.json)
    for (const warning of embedder.warnings ?? []) invocation.terminal.printError(`# ${warning}`)
  return embedder
}

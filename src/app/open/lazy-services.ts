import type { Beliefs } from '../../beliefs/beliefs.ts'
import { announceEvidence } from '../../evidence/resources.ts'
import { EVIDENCE_FILE, type EvidenceReader } from '../../evidence/store.ts'
import type { ChangeEvent } from '../../kernel/change-events.ts'
import type { Clock, Log, Recorder, Repository, Store } from '../../kernel/ports.ts'
import type { DecisionRecorder } from '../../lineage/decisions.ts'
import type { RunJob } from '../../project/jobs.ts'
import type { RunWorkflow } from '../../project/workflow-jobs.ts'
import type { Handshake } from '../../surfaces/mcp/handshake.ts'
import type { Config } from '../config/settings.ts'
import { killProcess } from '../force-exit.ts'
import type { ProcessContext } from '../server-profile.ts'
import type { OpenBeliefs } from './beliefs.ts'
import type { PacketService } from './packets.ts'
import type { OpenProject } from './project.ts'

/** What reaches into the world is loaded when it is first asked for: a start pays for the protocol alone. */

export type GraphStatus = Awaited<ReturnType<Beliefs['governanceStatus']>> & { readonly log_bytes: number }

/** The belief graph, opened when first asked for. */
export const lazyBeliefs = (config: Config, root: string, handshake: Handshake) => {
  let opening: Promise<OpenBeliefs> | undefined
  let opened: Beliefs | undefined
  const start = async () => (await import('./beliefs.ts')).openBeliefs(config, root, handshake)
  const get = () => {
    // A failed opening is forgotten: the database may be back when the next call comes.
    opening ??= start().catch((cause: unknown) => {
      opening = undefined
      throw cause
    })
    return opening
  }
  const open = async () => {
    opened = (await get()).beliefs
    return opened
  }
  return {
    open,
    ask: () => opened ?? open(),
    status: async (): Promise<GraphStatus | undefined> => {
      const graph = await opening
      if (graph === undefined) return undefined
      return { ...(await graph.beliefs.governanceStatus()), log_bytes: await graph.bytes() }
    },
    close: async () => {
      await opening?.then((packets) => packets.close())
    },
  }
}

/** Where decisions are written down, opened with the first of them. Calls that decide nothing cost nothing. */
export const lazyDecisions = (config: Config, root: string, clock: Clock) => {
  let opened: Promise<DecisionRecorder> | undefined
  const record: Recorder['record'] = (call) => {
    if (call.verdict === undefined || config.readOnly || config.store === 'memory') return
    opened ??= import('./decisions.ts').then((module) => module.openDecisions(config, root, clock))
    return opened.then((decisions) => decisions.record(call))
  }
  return {
    recorder: { record },
    close: async () => {
      await opened?.then((decisions) => decisions.close())
    },
  }
}

/** Knowledge packets, opened when first asked for. */
export const lazyPackets = (config: Config, root: string, clock: Clock, environment: NodeJS.ProcessEnv) => {
  let opening: Promise<PacketService> | undefined
  const { callMs } = config.limits
  const start = async () => {
    const { PacketService } = await import('./packets.ts')
    return new PacketService({ config, root, clock, environment, callMs })
  }
  return {
    get: () => {
      opening ??= start()
      return opening
    },
    close: async () => {
      await opening?.then(({ close }) => close())
    },
  }
}

/** The files of the project, reached for when first asked about. */
export const lazyProject = (config: Config, root: string, context: ProcessContext, log: Log) => {
  let opening: Promise<OpenProject> | undefined
  const get = () => {
    opening ??= import('./project.ts')
      .then(({ openProject }) => openProject(config, root, context.root))
      .catch((cause: unknown) => {
        opening = undefined
        throw cause
      })
    return opening
  }
  const run: RunJob = async (name, args, call) => (await get()).run(name, args, call)
  const close = async () => {
    const ended = (await opening?.catch(() => undefined))?.close()
    if ((await ended) !== false) return
    killProcess((words) => log.write('warn', words))
    // Whoever closes us goes on to exit, and would wait there for ever.
    await new Promise(() => {})
  }
  const workflow: RunWorkflow = async (...asked) => (await get()).workflow(...asked)
  return { run, workflow, close }
}

export const embeddedStore = (path: string): Store => ({
  health: async () => (await import('../../platform/files/state-folder.ts')).stateFolder(path).health(),
})

export const localRepository = (root: string, clock: Clock, environment: NodeJS.ProcessEnv): Repository => ({
  freshness: async (signal) =>
    (await import('../../platform/git/freshness.ts'))
      .gitFreshness(root, clock, environment)
      .freshness(signal),
})

/** Where evidence lies: at the top of the repository, in whatever folder of it we were started. */
const evidenceFolder = async (root: string): Promise<string> =>
  (await (await import('../../platform/git/find-root.ts')).findRepositoryRoot(root)) ?? root

/** The evidence of the repository, read when first asked for. */
export const localEvidence = (root: string, clock: Clock): Pick<EvidenceReader, 'read'> => {
  let store: Promise<EvidenceReader> | undefined
  const open = async () =>
    (await import('../../platform/files/evidence-file.ts')).fileEvidence(await evidenceFolder(root), clock)
  return {
    async read() {
      store ??= open()
      return (await store).read()
    },
  }
}

/** News of the evidence, for who listens. What watches is light: most clients never ask for the evidence. */
export const watchEvidence = (root: string) => (emit: (change: ChangeEvent) => void) => {
  let ended = false
  let stop = () => {
    ended = true
  }
  const start = async () => {
    const { watchFile } = await import('../../platform/files/watch-file.ts')
    const folder = await evidenceFolder(root)
    if (!ended) stop = watchFile(folder, EVIDENCE_FILE, () => announceEvidence(emit))
  }
  void start().catch(() => {})
  return () => stop()
}

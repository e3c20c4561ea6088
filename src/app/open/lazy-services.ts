import type { Beliefs } from '../../beliefs/beliefs.ts'
import { EVIDENCE_FILE, type EvidenceReader } from '../../evidence/store.ts'
import type { GateService } from '../../gate/tools.ts'
import { lazyAsync } from '../../kernel/async/once.ts'
import type { ChangeEvent } from '../../kernel/change-events.ts'
import type { Clock, Log, Recorder, Repository, StoreCheck } from '../../kernel/ports.ts'
import { isAudited } from '../../kernel/record-call.ts'
import type { ServerBasics } from '../../mcp/handshake.ts'
import type { RootHandle } from '../../platform/jail/handles.ts'
import type { RunJob } from '../../project/jobs.ts'
import type { RunWorkflow } from '../../project/workflow-jobs.ts'
import type { Config } from '../config/settings.ts'
import { killProcess } from '../shutdown.ts'

/** Services are loaded by the first call that needs them, so that the start pays for the protocol alone. */

export type GraphStatus = Awaited<ReturnType<Beliefs['governanceStatus']>> & { readonly log_bytes: number }

/** What the services are opened with. */
interface ServiceContext {
  readonly config: Config
  /** Absolute path. */
  readonly root: string
  readonly environment: NodeJS.ProcessEnv
  readonly clock: Clock
  readonly log: Log
  /** Set when the root was opened at the start. */
  readonly rootHandle?: RootHandle | undefined
}

/** The belief graph, opened by the first call that needs it. */
export const lazyBeliefs = ({ config, root }: ServiceContext, handshake: ServerBasics) => {
  const load = async () => (await import('./beliefs.ts')).openBeliefs(config, root, handshake)
  let graph = lazyAsync(load)
  let opened: Awaited<ReturnType<typeof load>> | undefined
  const open = async () => {
    if (opened?.isReplaced()) {
      const former = opened
      opened = undefined
      graph = lazyAsync(load)
      await former.close().catch(() => {})
    }
    opened = await graph.get()
    return opened.beliefs
  }
  /** The graph, if it is in use. */
  const current = async () => {
    if (opened !== undefined) await open()
    return graph.peek()
  }
  return {
    open,
    ask: () => (opened === undefined || opened.isReplaced() ? open() : opened.beliefs),
    status: async (): Promise<GraphStatus | undefined> => {
      const found = await current()
      return found && { ...(await found.beliefs.governanceStatus()), log_bytes: await found.bytes() }
    },
    check: async () => (await current())?.check(),
    close: async () => (await graph.peek())?.close(),
  }
}

/** The recorder of decisions, opened with the first of them. Calls that only read cost nothing. */
export const lazyDecisions = ({ config, root, clock, log }: ServiceContext) => {
  const decisions = lazyAsync(async () => {
    const [{ openDecisions }, { locateDecisions }] = await Promise.all([
      import('./decisions.ts'),
      import('./store.ts'),
    ])
    return openDecisions(config, await locateDecisions(config, root), clock, (message) =>
      log.write('warn', message),
    )
  })
  let told = false
  const skipRecord = (): undefined => {
    if (!told)
      log.write(
        'warn',
        `decisions are not recorded, because of --${config.readOnly ? 'read-only' : 'store memory'}`,
      )
    told = true
  }
  const record: Recorder['record'] = (call) => {
    if (!isAudited(call)) return
    if (config.readOnly || config.store === 'memory')
      return call.verdict === undefined ? undefined : skipRecord()
    return decisions.get().then((recorder) => recorder.record(call))
  }
  return { recorder: { record }, close: async () => (await decisions.peek())?.close() }
}

/** The gate's tools, loaded by the first call. */
export const lazyGate = (context: ServiceContext): GateService => {
  const gate = lazyAsync(async () =>
    (await import('./gate-service.ts')).createGateService(context.config, context.root, context),
  )
  return {
    check: async (...call) => (await gate.get()).check(...call),
    judge: async (...call) => (await gate.get()).judge(...call),
    run: async (...call) => (await gate.get()).run(...call),
    explain: async (...call) => (await gate.get()).explain(...call),
    why: async (...call) => (await gate.get()).why(...call),
  }
}

/** Knowledge packets, opened by the first call that needs them. */
export const lazyPackets = (
  { config, root, clock, environment, log }: ServiceContext,
  recorder: Recorder,
) => {
  const packets = lazyAsync(async () => {
    const { PacketService } = await import('./packets.ts')
    const record = { clock, log, recorder }
    return new PacketService({ config, root, clock, environment, record, callMs: config.limits.callMs })
  })
  return { get: packets.get, close: async () => (await packets.peek())?.close() }
}

/** The files of the project, opened by the first call that needs them. */
export const lazyProject = ({ config, root, rootHandle, log }: ServiceContext) => {
  const project = lazyAsync(async () =>
    (await import('./project.ts')).openProject(config, root, { held: rootHandle }),
  )
  const run: RunJob = async (name, args, call) => (await project.get()).run(name, args, call)
  const workflow: RunWorkflow = async (...request) => (await project.get()).workflow(...request)
  const close = async () => {
    const ended = await (await project.peek())?.close()
    if (ended !== false) return
    killProcess((message) => log.write('warn', message))
    // The caller exits next, and process.exit would wait for the stuck threads.
    await new Promise(() => {})
  }
  return { run, workflow, close }
}

export const embeddedStore = (path: string, check: () => Promise<void>): StoreCheck => ({
  health: async () => {
    const { stateFolder } = await import('../../platform/files/state-folder.ts')
    const found = await stateFolder(path).health()
    const failing = { ...found, state: 'failing', detail: 'the log of beliefs cannot be written' } as const
    return check().then(
      () => found,
      () => failing,
    )
  },
})

export const localRepository = ({ config, root, clock, environment }: ServiceContext): Repository => ({
  freshness: async (signal) =>
    (await import('../../platform/git/freshness.ts'))
      .gitFreshness(root, clock, environment, config.gitFolders)
      .freshness(signal),
})

/** Evidence lies at the top of the repository, whichever of its folders the server was started in. */
export const evidenceFolder = async (root: string): Promise<string> =>
  (await (await import('../../platform/git/find-root.ts')).findRepositoryRoot(root)) ?? root

/** The evidence of the repository, opened with the first read. */
export const localEvidence = ({ root, clock }: ServiceContext): Pick<EvidenceReader, 'read'> => {
  const evidence = lazyAsync(async () => {
    const { fileEvidence } = await import('../../platform/files/evidence-file.ts')
    return fileEvidence(await evidenceFolder(root), clock)
  })
  return { read: async () => (await evidence.get()).read() }
}

type EmitChange = (change: ChangeEvent) => void

/** Calls the listeners when the evidence file changes. Loads only the watcher: most clients never read evidence. */
export const watchEvidence =
  (root: string, listeners: readonly ((emit: EmitChange) => void)[]) => (emit: EmitChange) => {
    let ended = false
    let stop = () => {
      ended = true
    }
    const start = async () => {
      const { watchFile } = await import('../../platform/files/watch-file.ts')
      const folder = await evidenceFolder(root)
      if (!ended)
        stop = watchFile(folder, EVIDENCE_FILE, () => {
          for (const listener of listeners) listener(emit)
        })
    }
    void start().catch(() => {})
    return () => stop()
  }

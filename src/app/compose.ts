import { resolve } from 'node:path'
import type { Beliefs } from '../beliefs/beliefs.ts'
import { legacyToolset } from '../beliefs/legacy.ts'
import { beliefsToolset } from '../beliefs/tools.ts'
import { coreToolset } from '../core/tools.ts'
import { announceEvidence } from '../evidence/resources.ts'
import { EVIDENCE_FILE, type EvidenceReader } from '../evidence/store.ts'
import { evidenceToolset } from '../evidence/tools.ts'
import { type EnterpriseDoor, enterpriseResources, enterpriseTools } from '../gate/enterprise-toolset.ts'
import { gateTools } from '../gate/tools.ts'
import { buildCatalog, type Catalog, type Toolset } from '../kernel/catalog.ts'
import { type Change, Changes } from '../kernel/changes.ts'
import { createInvoke, readOnlyGuard } from '../kernel/invoke.ts'
import type { Clock, Log, Recorder, Repository, Store } from '../kernel/ports.ts'
import type { DecisionRecorder } from '../lineage/decisions.ts'
import type { RunJob } from '../project/jobs.ts'
import { projectToolset } from '../project/tools.ts'
import { type Hello, LEGACY, MODERN } from '../surfaces/mcp/hello.ts'
import { Service } from '../surfaces/mcp/service.ts'
import type { Config } from './config.ts'
import { enterpriseFace } from './enterprise-face.ts'
import { gateFace } from './gate-face.ts'
import { type Face, greet, type World } from './greet.ts'
import type { OpenBeliefs } from './open-beliefs.ts'
import type { OpenProject } from './open-project.ts'
import { hearBoth, recordedDoor } from './recorded-door.ts'
import { VERSION } from './version.ts'

export interface Assembly {
  readonly config: Config
  readonly catalog: Catalog
  readonly toolsets: readonly Toolset[]
  readonly service: Service
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly evidence: Pick<EvidenceReader, 'read'>
  /** What is known about the repository; looked at when first asked. */
  readonly enterprise: EnterpriseDoor
  /** Opens the belief graph; the same one every time. */
  readonly beliefs: () => Promise<Beliefs>
  /** The health of the belief graph; undefined while nobody has opened it. */
  readonly graphStatus: () => Promise<GraphStatus | undefined>
  /** Writes down what must not be lost, and lets go of everything. */
  readonly close: () => Promise<void>
}

export type GraphStatus = Awaited<ReturnType<Beliefs['governanceStatus']>>

/** The belief graph, opened when first asked for. */
const lazyBeliefs = (config: Config, root: string, hello: Hello) => {
  let opening: Promise<OpenBeliefs> | undefined
  let opened: Beliefs | undefined
  const start = async () => (await import('./open-beliefs.ts')).openBeliefs(config, root, hello)
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
    status: async () => (await opening)?.beliefs.governanceStatus(),
    close: async () => {
      await opening?.then(({ close }) => close())
    },
  }
}

/** Where decisions are written down, opened with the first of them. Calls that decide nothing cost nothing. */
const lazyDecisions = (config: Config, root: string, clock: Clock) => {
  let opened: Promise<DecisionRecorder> | undefined
  const record: Recorder['record'] = (call) => {
    if (call.verdict === undefined || config.readOnly || config.store === 'memory') return
    opened ??= import('./open-decisions.ts').then((module) => module.openDecisions(config, root, clock))
    return opened.then((decisions) => decisions.record(call))
  }
  return {
    recorder: { record },
    close: async () => {
      await opened?.then((decisions) => decisions.close())
    },
  }
}

/** The files of the project, reached for when first asked about. */
const lazyProject = (config: Config, root: string, world: World, log: Log) => {
  let opening: Promise<OpenProject> | undefined
  const get = () => {
    opening ??= import('./open-project.ts')
      .then(({ openProject }) => openProject(config, root, world.root))
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
    // A thread hangs in a disk that does not answer, and an exit would wait for it.
    log.write('warn', 'a file system does not answer; ending by force')
    process.kill(process.pid, 'SIGKILL')
  }
  return { run, close }
}

// What reaches into the world is loaded when it is first asked for: a start pays for the protocol alone.
const embeddedStore = (path: string): Store => ({
  health: async () => (await import('../platform/state-folder.ts')).stateFolder(path).health(),
})

const localRepository = (root: string, clock: Clock, environment: NodeJS.ProcessEnv): Repository => ({
  freshness: async (signal) =>
    (await import('../platform/git.ts')).gitRepository(root, clock, environment).freshness(signal),
})

/** Where evidence lies: at the top of the repository, in whatever folder of it we were started. */
const evidenceFolder = async (root: string): Promise<string> =>
  (await (await import('../platform/find-top.ts')).findTop(root)) ?? root

/** The evidence of the repository, read when first asked for. */
const localEvidence = (root: string, clock: Clock): Pick<EvidenceReader, 'read'> => {
  let store: Promise<EvidenceReader> | undefined
  const open = async () =>
    (await import('../platform/evidence-file.ts')).fileEvidence(await evidenceFolder(root), clock)
  return {
    async read() {
      store ??= open()
      return (await store).read()
    },
  }
}

/** News of the evidence, for who listens. What watches is light: most clients never ask for the evidence. */
const evidenceNews = (root: string) => (emit: (change: Change) => void) => {
  let ended = false
  let stop = () => {
    ended = true
  }
  const start = async () => {
    const { watchFile } = await import('../platform/watch-file.ts')
    const folder = await evidenceFolder(root)
    if (!ended) stop = watchFile(folder, EVIDENCE_FILE, () => announceEvidence(emit))
  }
  void start().catch(() => {})
  return () => stop()
}

/** Fits the outside world to the kernel's ports. The only place where a server is put together. */
export const assemble = (config: Config, world: World, recorder?: Recorder, face?: Face): Assembly => {
  const hello = greet(config, world, face)
  const { clock, log } = hello
  const root = resolve(world.cwd, config.root)
  const store = embeddedStore(resolve(root, config.stateDir))
  const beliefs = lazyBeliefs(config, root, hello)
  const graphTools = beliefsToolset(beliefs.ask)
  const evidence = localEvidence(root, clock)
  const decisions = lazyDecisions(config, root, clock)
  const gate = gateFace(config, root, { environment: world.environment, clock })
  const heard = hearBoth(recorder, decisions.recorder)
  const enterprise = enterpriseFace(root, { environment: world.environment, clock, log })
  const project = lazyProject(config, root, world, log)
  const toolsets: readonly Toolset[] = [
    coreToolset({
      about: () => ({
        version: VERSION,
        protocol: [MODERN, ...LEGACY],
        toolsets: switchedOn(toolsets, catalog),
        readOnly: config.readOnly,
      }),
      digests: async () => (await import('../surfaces/mcp/digests.ts')).definitionDigests(catalog),
      store,
      repository: localRepository(root, clock, world.environment),
      clock,
    }),
    evidenceToolset({ evidence }),
    {
      name: 'gate',
      title: 'May this pass, and why not',
      tools: [...gateTools(gate), ...enterpriseTools(enterprise)],
      resources: enterpriseResources(enterprise),
      prompts: [],
    },
    projectToolset({ run: project.run, answerBytes: config.limits.answerBytes }),
    config.wire === 'legacy' ? legacyToolset(graphTools, beliefs.open) : graphTools,
  ]
  const catalog = buildCatalog(toolsets, config, config.toolNames)
  const service = new Service({
    ...hello,
    catalog,
    invoke: createInvoke({
      clock,
      log,
      recorder: heard,
      limits: config.limits,
      guards: config.readOnly ? [readOnlyGuard] : [],
    }),
    changes: new Changes(catalog.toolsets.includes('evidence') ? evidenceNews(root) : undefined),
  })
  return {
    config,
    catalog,
    toolsets,
    service,
    store,
    clock,
    log,
    evidence,
    close: async () => {
      await Promise.all([beliefs.close(), decisions.close()])
      await project.close()
    },
    beliefs: beliefs.open,
    graphStatus: beliefs.status,
    enterprise: recordedDoor(enterprise, { recorder: heard, clock, log }),
  }
}

const switchedOn = (toolsets: readonly Toolset[], catalog: Catalog) =>
  toolsets
    .filter(({ name }) => catalog.toolsets.includes(name))
    .map(({ name, tools }) => ({ name, tools: tools.filter((tool) => catalog.tools.includes(tool)).length }))

import { resolve } from 'node:path'
import type { Beliefs } from '../beliefs/beliefs.ts'
import { beliefsToolset } from '../beliefs/tools.ts'
import { coreToolset } from '../core/tools.ts'
import { buildCatalog, type Catalog, type Toolset } from '../kernel/catalog.ts'
import { Changes } from '../kernel/changes.ts'
import { createInvoke, readOnlyGuard } from '../kernel/invoke.ts'
import type { Clock, Log, Recorder, Repository, Store } from '../kernel/ports.ts'
import type { RunJob } from '../project/jobs.ts'
import { projectToolset } from '../project/tools.ts'
import type { RunWorkflow } from '../project/workflow-jobs.ts'
import { type Hello, LEGACY, MODERN } from '../surfaces/mcp/hello.ts'
import { Service } from '../surfaces/mcp/service.ts'
import type { Config } from './config.ts'
import { type Face, greet, type World } from './greet.ts'
import type { OpenBeliefs } from './open-beliefs.ts'
import type { OpenProject } from './open-project.ts'
import { VERSION } from './version.ts'

export interface Assembly {
  readonly config: Config
  readonly catalog: Catalog
  readonly toolsets: readonly Toolset[]
  readonly service: Service
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
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
  const start = async () => (await import('./open-beliefs.ts')).openBeliefs(config, root, hello)
  const get = () => {
    // A failed opening is forgotten: the database may be back when the next call comes.
    opening ??= start().catch((cause: unknown) => {
      opening = undefined
      throw cause
    })
    return opening
  }
  return {
    open: async () => (await get()).beliefs,
    status: async () => (await opening)?.beliefs.governanceStatus(),
    close: async () => {
      await opening?.then(({ close }) => close())
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
  const workflow: RunWorkflow = async (...asked) => (await get()).workflow(...asked)
  return { run, workflow, close }
}

const nobody: Recorder = { record: () => {} }

// What reaches into the world is loaded when it is first asked for: a start pays for the protocol alone.
const embeddedStore = (path: string): Store => ({
  health: async () => (await import('../platform/state-folder.ts')).stateFolder(path).health(),
})

const localRepository = (root: string, clock: Clock, environment: NodeJS.ProcessEnv): Repository => ({
  freshness: async (signal) =>
    (await import('../platform/git.ts')).gitRepository(root, clock, environment).freshness(signal),
})

/** Fits the outside world to the kernel's ports. The only place where a server is put together. */
export const assemble = (
  config: Config,
  world: World,
  recorder: Recorder = nobody,
  face?: Face,
): Assembly => {
  const hello = greet(config, world, face)
  const { clock, log } = hello
  const root = resolve(world.cwd, config.root)
  const store = embeddedStore(resolve(root, config.stateDir))
  const beliefs = lazyBeliefs(config, root, hello)
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
    beliefsToolset(() => beliefs.open()),
    projectToolset({
      run: project.run,
      workflow: project.workflow,
      answerBytes: config.limits.answerBytes,
    }),
  ]
  const catalog = buildCatalog(toolsets, config, config.toolNames)
  const service = new Service({
    ...hello,
    catalog,
    invoke: createInvoke({
      clock,
      log,
      recorder,
      limits: config.limits,
      guards: config.readOnly ? [readOnlyGuard] : [],
    }),
    changes: new Changes(),
  })
  return {
    config,
    catalog,
    toolsets,
    service,
    store,
    clock,
    log,
    close: async () => {
      await beliefs.close()
      await project.close()
    },
    beliefs: beliefs.open,
    graphStatus: beliefs.status,
  }
}

const switchedOn = (toolsets: readonly Toolset[], catalog: Catalog) =>
  toolsets
    .filter(({ name }) => catalog.toolsets.includes(name))
    .map(({ name, tools }) => ({ name, tools: tools.filter((tool) => catalog.tools.includes(tool)).length }))

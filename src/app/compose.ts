import { resolve } from 'node:path'
import type { Beliefs } from '../beliefs/beliefs.ts'
import { beliefsToolset } from '../beliefs/tools.ts'
import { coreToolset } from '../core/tools.ts'
import { announceEvidence } from '../evidence/resources.ts'
import { EVIDENCE_FILE, type EvidenceReader } from '../evidence/store.ts'
import { evidenceToolset } from '../evidence/tools.ts'
import { buildCatalog, type Catalog, type Toolset } from '../kernel/catalog.ts'
import { type Change, Changes } from '../kernel/changes.ts'
import { createInvoke, readOnlyGuard } from '../kernel/invoke.ts'
import type { Clock, Log, Recorder, Repository, Store } from '../kernel/ports.ts'
import { packetsToolset } from '../packets/tools.ts'
import { type Hello, LEGACY, MODERN } from '../surfaces/mcp/hello.ts'
import { Service } from '../surfaces/mcp/service.ts'
import type { Config } from './config.ts'
import { type Face, greet, type World } from './greet.ts'
import type { OpenBeliefs } from './open-beliefs.ts'
import type { OpenedPackets } from './open-packets.ts'
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
  /** Opens the belief graph; the same one every time. */
  readonly beliefs: () => Promise<Beliefs>
  /** Writes down what must not be lost, and lets go of everything. */
  readonly close: () => Promise<void>
}

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
    close: async () => {
      await opening?.then(({ close }) => close())
    },
  }
}

/** Knowledge packets, opened when first asked for. */
const lazyPackets = (config: Config, root: string, clock: Clock, environment: NodeJS.ProcessEnv) => {
  let opening: Promise<OpenedPackets> | undefined
  const start = async () => (await import('./open-packets.ts')).openPackets(config, root, clock, environment)
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

const nobody: Recorder = { record: () => {} }

// What reaches into the world is loaded when it is first asked for: a start pays for the protocol alone.
const embeddedStore = (path: string): Store => ({
  health: async () => (await import('../platform/state-folder.ts')).stateFolder(path).health(),
})

const localRepository = (root: string, clock: Clock, environment: NodeJS.ProcessEnv): Repository => ({
  freshness: async (signal) =>
    (await import('../platform/git.ts')).gitRepository(root, clock, environment).freshness(signal),
})

/** The evidence of the root, read when first asked for. */
const localEvidence = (root: string, clock: Clock): Pick<EvidenceReader, 'read'> => {
  let store: Promise<EvidenceReader> | undefined
  const open = async () => (await import('../platform/evidence-file.ts')).fileEvidence(root, clock)
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
    if (!ended) stop = watchFile(root, EVIDENCE_FILE, () => announceEvidence(emit))
  }
  void start().catch(() => {})
  return () => stop()
}

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
  const evidence = localEvidence(root, clock)
  const packets = lazyPackets(config, root, clock, world.environment)
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
    beliefsToolset(() => beliefs.open()),
    packetsToolset(
      async (place) => (await packets.get()).open(place),
      async (digest, file) => (await packets.get()).readFile(digest, file),
    ),
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
      await beliefs.close()
      await packets.close()
    },
    beliefs: beliefs.open,
  }
}

const switchedOn = (toolsets: readonly Toolset[], catalog: Catalog) =>
  toolsets
    .filter(({ name }) => catalog.toolsets.includes(name))
    .map(({ name, tools }) => ({ name, tools: tools.filter((tool) => catalog.tools.includes(tool)).length }))

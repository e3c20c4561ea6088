import { resolve } from 'node:path'
import type { Beliefs } from '../beliefs/beliefs.ts'
import { legacyToolset } from '../beliefs/legacy-tools.ts'
import { beliefsToolset } from '../beliefs/tools.ts'
import { coreToolset } from '../core/tools.ts'
import type { EvidenceReader } from '../evidence/store.ts'
import { evidenceToolset } from '../evidence/tools.ts'
import { type EnterpriseDoor, enterpriseResources, enterpriseTools } from '../gate/enterprise/toolset.ts'
import { gateTools } from '../gate/tools.ts'
import { buildCatalog, type Catalog, type Toolset } from '../kernel/catalog.ts'
import { Changes } from '../kernel/change-events.ts'
import { createInvoke, readOnlyGuard } from '../kernel/invoke.ts'
import type { Clock, Log, Recorder, Store } from '../kernel/ports.ts'
import { packetsToolset } from '../packets/tools.ts'
import { projectToolset } from '../project/tools.ts'
import { LEGACY, MODERN } from '../surfaces/mcp/handshake.ts'
import { Service } from '../surfaces/mcp/service.ts'
import type { Config } from './config/settings.ts'
import { VERSION } from './config/version.ts'
import { hearBoth, recordedDoor } from './open/audit-log.ts'
import { steadyFreshness } from './open/cached-freshness.ts'
import { enterpriseFace } from './open/lazy-enterprise.ts'
import { gateFace } from './open/lazy-gate.ts'
import {
  embeddedStore,
  evidenceNews,
  type GraphStatus,
  lazyBeliefs,
  lazyDecisions,
  lazyPackets,
  lazyProject,
  localEvidence,
  localRepository,
} from './open/lazy-services.ts'
import { type Face, greet, type World } from './server-profile.ts'

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
  const packets = lazyPackets(config, root, clock, world.environment)
  const repository = localRepository(root, clock, world.environment)
  const toolsets: readonly Toolset[] = [
    coreToolset({
      about: () => ({
        version: VERSION,
        protocol: [MODERN, ...LEGACY],
        toolsets: switchedOn(toolsets, catalog),
        readOnly: config.readOnly,
      }),
      digests: async () => (await import('../surfaces/mcp/tool-digests.ts')).definitionDigests(catalog),
      store,
      repository,
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
    projectToolset({
      run: project.run,
      workflow: project.workflow,
      answerBytes: config.limits.answerBytes,
      freshness: steadyFreshness(repository, clock),
    }),
    config.wire === 'legacy' ? legacyToolset(graphTools, beliefs.open) : graphTools,
    packetsToolset(async (place) => (await packets.get()).open(place)),
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
      blame: hello.manners?.blame ?? 'debug',
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
      await packets.close()
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

import { resolve } from 'node:path'
import type { Beliefs } from '../beliefs/beliefs.ts'
import { legacyToolset } from '../beliefs/legacy-tools.ts'
import { beliefsToolset } from '../beliefs/tools.ts'
import { coreToolset } from '../core/tools.ts'
import type { EvidenceReader } from '../evidence/store.ts'
import { evidenceToolset } from '../evidence/tools.ts'
import { envelopeAuditFields } from '../gate/audit-fields.ts'
import { type EnterpriseService, enterpriseResources, enterpriseTools } from '../gate/enterprise/toolset.ts'
import { gateTools } from '../gate/tools.ts'
import { buildCatalog, type Catalog, type Toolset } from '../kernel/catalog.ts'
import { ChangeEmitter } from '../kernel/change-events.ts'
import { createInvoke, readOnlyGuard } from '../kernel/invoke.ts'
import type { Clock, Log, Recorder, Store } from '../kernel/ports.ts'
import { recordCall } from '../kernel/record-call.ts'
import { packetsToolset } from '../packets/tools.ts'
import { projectToolset } from '../project/tools.ts'
import { LEGACY, MODERN } from '../surfaces/mcp/handshake.ts'
import { Service } from '../surfaces/mcp/service.ts'
import type { Config } from './config/settings.ts'
import { VERSION } from './config/version.ts'
import { forwardRecords } from './open/audit-log.ts'
import { cachedFreshness } from './open/cached-freshness.ts'
import { lazyEnterprise } from './open/lazy-enterprise.ts'
import {
  embeddedStore,
  type GraphStatus,
  lazyBeliefs,
  lazyDecisions,
  lazyGate,
  lazyPackets,
  lazyProject,
  localEvidence,
  localRepository,
  watchEvidence,
} from './open/lazy-services.ts'
import { createHandshake, type ProcessContext, type ServerProfile } from './server-profile.ts'

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
  readonly enterprise: EnterpriseService
  /** Opens the belief graph; the same one every time. */
  readonly beliefs: () => Promise<Beliefs>
  /** The health of the belief graph; undefined while nobody has opened it. */
  readonly graphStatus: () => Promise<GraphStatus | undefined>
  /** Writes down what must not be lost, and lets go of everything. */
  readonly close: () => Promise<void>
}

/** Fits the outside world to the kernel's ports. The only place where a server is put together. */
export const composeServer = (
  config: Config,
  context: ProcessContext,
  recorder?: Recorder,
  profile?: ServerProfile,
): Assembly => {
  const handshake = createHandshake(config, context, profile)
  const { clock, log } = handshake
  const root = resolve(context.cwd, config.root)
  const store = embeddedStore(resolve(root, config.stateDir))
  const beliefs = lazyBeliefs(config, root, handshake)
  const graphTools = beliefsToolset(beliefs.ask)
  const evidence = localEvidence(root, clock)
  const decisions = lazyDecisions(config, root, clock)
  const gate = lazyGate(config, root, { environment: context.environment, clock })
  const heard = forwardRecords(recorder, decisions.recorder)
  const enterprise = lazyEnterprise(root, { environment: context.environment, clock, log })
  const project = lazyProject(config, root, context, log)
  const packets = lazyPackets(config, root, clock, context.environment)
  const repository = localRepository(root, clock, context.environment)
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
      freshness: cachedFreshness(repository, clock),
    }),
    config.wire === 'legacy' ? legacyToolset(graphTools, beliefs.open) : graphTools,
    packetsToolset(async (place) => (await packets.get()).open(place)),
  ]
  const catalog = buildCatalog(toolsets, config, config.toolNames)
  const service = new Service({
    ...handshake,
    catalog,
    invoke: createInvoke({
      clock,
      log,
      recorder: heard,
      limits: config.limits,
      guards: config.readOnly ? [readOnlyGuard] : [],
      badArgumentsLevel: handshake.compat?.badArgumentsLevel ?? 'debug',
    }),
    changes: new ChangeEmitter(catalog.toolsets.includes('evidence') ? watchEvidence(root) : undefined),
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
    enterprise: {
      ...enterprise,
      // Plain HTTP calls this directly, with an answer format of its own, so it is recorded here and not by `invoke`.
      run: async (name, stage, signal) => {
        const started = clock.elapsed()
        const value = await enterprise.run(name, stage, signal)
        const tool = { name, effect: 'read', auditFields: envelopeAuditFields } as const
        await recordCall({ clock, log, recorder: heard }, tool, { kind: 'answer', value }, started)
        return value
      },
    },
  }
}

const switchedOn = (toolsets: readonly Toolset[], catalog: Catalog) =>
  toolsets
    .filter(({ name }) => catalog.toolsets.includes(name))
    .map(({ name, tools }) => ({ name, tools: tools.filter((tool) => catalog.tools.includes(tool)).length }))

import { resolve } from 'node:path'
import type { Beliefs } from '../beliefs/beliefs.ts'
import { legacyToolset } from '../beliefs/legacy-tools.ts'
import { beliefsToolset } from '../beliefs/tools.ts'
import { announceEvidence } from '../evidence/resources.ts'
import type { EvidenceReader } from '../evidence/store.ts'
import { evidenceToolset } from '../evidence/tools.ts'
import { type EnterpriseService, enterpriseResources, enterpriseTools } from '../gate/enterprise/toolset.ts'
import { gateTools } from '../gate/tools.ts'
import { buildCatalog, type Catalog, ignoreUnknownArguments, type Toolset } from '../kernel/catalog.ts'
import { ChangeEmitter } from '../kernel/change-events.ts'
import { createInvoke, readOnlyGuard } from '../kernel/invoke.ts'
import { optional } from '../kernel/optional.ts'
import type { Clock, Log, Recorder, StoreCheck } from '../kernel/ports.ts'
import { closedGuard } from '../kernel/tool-offer.ts'
import { LEGACY, MODERN, type ServerBasics } from '../mcp/handshake.ts'
import { describeTool, type ListingOptions } from '../mcp/listing.ts'
import { Service } from '../mcp/service.ts'
import { packetsToolset } from '../packets/tools.ts'
import { projectToolset } from '../project/tools.ts'
import type { Config } from './config/settings.ts'
import { VERSION } from './config/version.ts'
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
import { recordEnterprise } from './open/receipts/record-enterprise.ts'
import { createServerBasics, type ProcessContext, type ServerProfile } from './server-profile.ts'
import { openServerState, withState } from './unified/open-state.ts'
import { unifyToolset } from './unified/tool-table.ts'
import { coreToolset } from './unified/tools.ts'

export interface ComposedServer {
  readonly config: Config
  readonly catalog: Catalog
  /** What entries of `tools/list` have. */
  readonly listing: ListingOptions
  readonly toolsets: readonly Toolset[]
  readonly service: Service
  readonly store: StoreCheck
  readonly clock: Clock
  readonly log: Log
  readonly evidence: Pick<EvidenceReader, 'read'>
  /** Loaded by the first call. */
  readonly enterprise: EnterpriseService
  /** Opens the belief graph at the first call; later calls get the same one. */
  readonly beliefs: () => Promise<Beliefs>
  /** The health of the belief graph; undefined until a call has opened it. */
  readonly graphStatus: () => Promise<GraphStatus | undefined>
  /** Flushes pending writes and closes every service. */
  readonly close: () => Promise<void>
}

interface ServerOptions {
  /** Gets a record of every call, in addition to the decision log. */
  readonly recorder?: Recorder
  readonly profile?: ServerProfile | undefined
}

/** Forwards each record to both. The returned promise is the second's, which is the durable one. */
const forwardRecords = (observer: Recorder | undefined, decisions: Recorder): Recorder =>
  observer === undefined
    ? decisions
    : {
        record(call) {
          void observer.record(call)
          return decisions.record(call)
        },
      }

/** Composition root: connects platform adapters to the ports of the domains, and tools to the MCP service. */
export const composeServer = (
  config: Config,
  context: ProcessContext,
  { recorder, profile }: ServerOptions = {},
): ComposedServer => {
  const basics = createServerBasics(config, context, profile)
  const { clock, log } = basics
  const root = resolve(context.cwd, config.root)
  const { environment, root: rootHandle } = context
  // Compatibility servers keep the names, schemas and answers that their clients know.
  const isUnified = profile === undefined
  const serviceContext = { config, root, environment, clock, log, rootHandle }
  const beliefs = lazyBeliefs(serviceContext, basics)
  const store = embeddedStore(resolve(root, config.stateDir), beliefs.check)
  const graphTools = beliefsToolset(beliefs.ask, config)
  const evidence = localEvidence(serviceContext)
  const decisions = lazyDecisions(serviceContext)
  const auditRecorder = forwardRecords(recorder, decisions.recorder)
  const openspec = { named: config.openspec && resolve(context.cwd, config.openspec) }
  const { gitFolders } = config
  const enterprise = lazyEnterprise(root, { config, environment, clock, log, openspec, gitFolders })
  const project = lazyProject(serviceContext)
  const packets = lazyPackets(serviceContext, decisions.recorder)
  const repository = localRepository(serviceContext)
  const isGated = isUnified && config.toolAccess === 'state'
  const state = openServerState({
    ...serviceContext,
    evidence,
    changed: () => isGated && changes.emit({ kind: 'tools' }),
  })
  const offer = isGated ? state.offer : undefined
  const listing = { outputSchemas: !isUnified || config.outputSchemas }
  const allToolsets: readonly Toolset[] = [
    coreToolset({
      about: () => ({
        version: VERSION,
        protocol: [MODERN, ...LEGACY],
        toolsets: enabledToolsets(toolsets, catalog),
        readOnly: config.readOnly,
      }),
      digests: async () => (await import('../mcp/tool-digests.ts')).definitionDigests(catalog, listing),
      help: {
        closed: () => (isGated ? state.closed : undefined),
        refresh: () => state.offer.refresh(),
        hasEvidence: () => state.hasEvidence,
        tools: () =>
          catalog.tools.map((tool) => ({
            name: catalog.listed(tool),
            isListed: catalog.listedTools.includes(tool),
            isOffered: offer?.isOffered(tool) ?? true,
          })),
        find: (name) => catalog.find(name),
        describe: (tool) => describeTool(tool, catalog.listed(tool)),
      },
      store,
      repository,
      clock,
    }),
    evidenceToolset({ evidence }),
    {
      name: 'gate',
      title: 'Whether a change may pass, and why not',
      tools: [...gateTools(lazyGate(serviceContext)), ...enterpriseTools(enterprise)],
      resources: enterpriseResources(enterprise),
      prompts: [],
    },
    projectToolset({
      run: project.run,
      workflow: project.workflow,
      answerBytes: config.limits.answerBytes,
      freshness: cachedFreshness(repository, clock),
      refusesDots: !isUnified,
    }),
    config.wire === 'legacy' ? legacyToolset(graphTools, beliefs.open) : graphTools,
    packetsToolset(async (place) => (await packets.get()).open(place), { strict: isUnified }),
  ]
  const toolsets = chooseForm(allToolsets, isUnified, basics)
  const catalog = buildCatalog(toolsets, config, config.toolNames)
  const guards = [
    ...(config.readOnly ? [readOnlyGuard] : []),
    ...(isGated ? [closedGuard(() => state.closed)] : []),
  ]
  const invoke = createInvoke({
    clock,
    log,
    recorder: auditRecorder,
    limits: config.limits,
    guards,
    badArgumentsLevel: basics.compat?.badArgumentsLevel ?? 'debug',
    listsKnownArguments: isUnified,
  })
  const watched = [
    ...(catalog.toolsets.includes('evidence') ? [announceEvidence] : []),
    ...(isGated ? [() => void state.evidenceChanged()] : []),
  ]
  const changes = new ChangeEmitter(watched.length === 0 ? undefined : watchEvidence(root, watched))
  const service = new Service({
    ...basics,
    catalog,
    changes,
    listing,
    invoke: isUnified ? withState(invoke, state, offer) : invoke,
    ...optional({ offer }),
    ...(isUnified && { freshness: () => state.freshnessJson() }),
  })
  return {
    config,
    catalog,
    listing,
    toolsets,
    service,
    store,
    clock,
    log,
    evidence,
    close: async () => {
      await Promise.all([beliefs.close(), packets.close()])
      await decisions.close()
      await project.close()
    },
    beliefs: beliefs.open,
    graphStatus: beliefs.status,
    enterprise: recordEnterprise(enterprise, { clock, log, recorder: auditRecorder }, (fault) => {
      throw fault
    }),
  }
}

/** The toolsets as the unified server offers them, or as the clients of an older server know them. */
const chooseForm = (
  toolsets: readonly Toolset[],
  isUnified: boolean,
  { compat }: ServerBasics,
): readonly Toolset[] => {
  if (isUnified) return toolsets.map(unifyToolset)
  return compat?.ignoresUnknownArguments ? toolsets.map(ignoreUnknownArguments) : toolsets
}

const enabledToolsets = (toolsets: readonly Toolset[], catalog: Catalog) =>
  toolsets
    .filter(({ name }) => catalog.toolsets.includes(name))
    .map(({ name, tools }) => ({ name, tools: tools.filter((tool) => catalog.tools.includes(tool)).length }))

import { join } from 'node:path'
import { EVIDENCE_FILE, type EvidenceReader } from '../../evidence/store.ts'
import { type EnterprisePorts, enterpriseReader } from '../../gate/enterprise/enterprise.ts'
import { runTool } from '../../gate/enterprise/tools.ts'
import type { EnterpriseService } from '../../gate/enterprise/toolset.ts'
import { createLimiter } from '../../kernel/async/concurrency.ts'
import type { Log } from '../../kernel/ports.ts'
import { fileEvidence } from '../../platform/files/evidence-file.ts'
import { findRepositoryRoot } from '../../platform/git/find-root.ts'
import type { Config } from '../config/settings.ts'
import { openRepository, type RepositoryContext } from './repository.ts'

const EVIDENCE_ROUTE = '/ai-evidence'

export interface EnterpriseContext extends RepositoryContext {
  readonly config: Config
  readonly log: Log
}

const buildPorts = (folder: string, { log, config, ...context }: EnterpriseContext): EnterprisePorts => {
  const locate = () => findRepositoryRoot(folder)
  const stores = new Map<string, EvidenceReader>()
  /** One store for each folder, because it caches the parsed evidence. */
  const openEvidence = async () => {
    const root = (await locate()) ?? folder
    const store = stores.get(root) ?? fileEvidence(root, context.clock)
    stores.set(root, store)
    return { root, store }
  }
  return {
    folder,
    locate,
    open: (root) => openRepository(root, context),
    evidence: async () => {
      const { root, store } = await openEvidence()
      const { statusView } = await import('../../evidence/status.ts')
      return statusView(await store.read(), { route: EVIDENCE_ROUTE, path: join(root, EVIDENCE_FILE) })
    },
    judge: async (stage, signal) => {
      const { root, store } = await openEvidence()
      const { checkEvidence } = await import('./check-evidence.ts')
      return checkEvidence({ root, folder, config, evidence: store, context, stage, signal })
    },
    clock: context.clock,
    log,
  }
}

const CONCURRENCY = 8

/** State and tools of the repository around a folder, with a limit on concurrent calls. */
export const openEnterprise = (folder: string, context: EnterpriseContext) => {
  const ports = buildPorts(folder, context)
  const { status, resource } = enterpriseReader(ports)
  const limit = createLimiter(CONCURRENCY)
  return {
    reader: {
      status,
      resource: (...[uri, signal]: Parameters<typeof resource>) => limit(() => resource(uri, signal)),
    },
    run: (...[tool, stage, signal]: Parameters<EnterpriseService['run']>) =>
      limit(() => runTool(ports, { tool, stage }, signal)),
  }
}

import { join } from 'node:path'
import { EVIDENCE_FILE, type EvidenceReader } from '../../evidence/store.ts'
import { type EnterprisePorts, enterpriseReader } from '../../gate/enterprise/enterprise.ts'
import { runTool } from '../../gate/enterprise/tools.ts'
import type { EnterpriseService } from '../../gate/enterprise/toolset.ts'
import { judgeEvidence } from '../../gate/judge-evidence.ts'
import { createLimiter } from '../../kernel/async/concurrency.ts'
import type { Log } from '../../kernel/ports.ts'
import type { CallContext } from '../../kernel/tool.ts'
import { fileEvidence } from '../../platform/files/evidence-file.ts'
import { findRepositoryRoot } from '../../platform/git/find-root.ts'
import type { Config } from '../config/settings.ts'
import { lazyReceipts } from './receipts/lazy-receipts.ts'
import { openRepository, type RepositoryContext } from './repository.ts'

const EVIDENCE_ROUTE = '/ai-evidence'

export interface EnterpriseContext extends RepositoryContext {
  readonly config: Config
  /** The settings that receipts are made with. Default: `config`. */
  readonly recording?: Config
  readonly log: Log
}

const portsBuilder = (folder: string, { log, config, recording = config, ...context }: EnterpriseContext) => {
  const locate = () => findRepositoryRoot(folder)
  const stores = new Map<string, EvidenceReader>()
  /** One store for each folder, because it caches the parsed evidence. */
  const openEvidence = async () => {
    const root = (await locate()) ?? folder
    const store = stores.get(root) ?? fileEvidence(root, context.clock)
    stores.set(root, store)
    return { root, store }
  }
  const receipts = lazyReceipts(recording, folder, context.clock)
  /** `attach` gets the receipt of the verdict. */
  return (attach?: CallContext['attach']): EnterprisePorts => ({
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
      const { readCheckInput, judgedState } = await import('./check-evidence.ts')
      const input = await readCheckInput({ root, folder, config, evidence: store, context, stage, signal })
      const verdict = judgeEvidence(input)
      const receipt = attach && (await receipts.get())?.ofCheck(verdict, judgedState(input))
      if (receipt) attach(receipt)
      return verdict
    },
    clock: context.clock,
    log,
  })
}

const CONCURRENCY = 8

/** State and tools of the repository around a folder, with a limit on concurrent calls. */
export const openEnterprise = (folder: string, context: EnterpriseContext) => {
  const buildPorts = portsBuilder(folder, context)
  const { status, resource } = enterpriseReader(buildPorts())
  const limit = createLimiter(CONCURRENCY)
  return {
    reader: {
      status,
      resource: (...[uri, signal]: Parameters<typeof resource>) => limit(() => resource(uri, signal)),
    },
    run: (...[tool, stage, signal, attach]: Parameters<EnterpriseService['run']>) =>
      limit(() => runTool(buildPorts(attach), { tool, stage }, signal)),
  }
}

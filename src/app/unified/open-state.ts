import { join } from 'node:path'
import { EVIDENCE_FILE, type EvidenceReader, type EvidenceReading } from '../../evidence/store.ts'
import { lazyAsync } from '../../kernel/async/once.ts'
import type { Invoke } from '../../kernel/invoke.ts'
import type { Clock } from '../../kernel/ports.ts'
import type { ToolOffer } from '../../kernel/tool-offer.ts'
import { DECISION_LOG } from '../../lineage/origin.ts'
import { KEYS_FILE } from '../../receipts/keys-path.ts'
import type { Config } from '../config/settings.ts'
import { evidenceFolder } from '../open/lazy-services.ts'
import { ServerState } from './server-state.ts'

/**
 * Calls with the state of the server around them: a tool that writes waits for a recent state of the gate, every answer
 * for recent facts of freshness, and the answer of a gate run for the state that it made. All of them are recent while
 * calls come, so most calls wait for nothing.
 */
export const withState = (invoke: Invoke, state: ServerState, offer: ToolOffer | undefined): Invoke => {
  const run: Invoke = (tool, args, call, done) => {
    const refreshing = state.touch()
    if (refreshing === undefined && !tool.whileBlocked) return invoke(tool, args, call, done)
    invoke(tool, args, call, (outcome) => {
      if (tool.whileBlocked) void state.reload().then(() => done(outcome))
      else void refreshing?.then(() => done(outcome))
    })
  }
  return (tool, args, call, done) => {
    const checking = tool.effect === 'write' ? offer?.refresh() : offer?.pending()
    if (checking === undefined) run(tool, args, call, done)
    else void checking.then(() => run(tool, args, call, done))
  }
}

interface StateContext {
  readonly config: Config
  /** Absolute path. */
  readonly root: string
  readonly environment: NodeJS.ProcessEnv
  readonly clock: Clock
  readonly evidence: Pick<EvidenceReader, 'read'>
  readonly changed: () => void
}

const MISSING: EvidenceReading = { kind: 'missing' }
const NO_KEYS = { listsKeys: false, lacksReceipt: false }

const identityOf = async (path: string): Promise<string> =>
  (await import('../../platform/files/watch-file.ts')).readIdentity(path)

interface ReceiptFiles {
  readonly top: () => Promise<string>
  readonly lineageSize: () => Promise<number | undefined>
}

/**
 * Whether the evidence has a receipt by a listed key. Asked again only when the evidence, the keys or the log change:
 * a run is recorded, with its receipt, after its evidence is written.
 */
const receiptReader = ({ config, root, environment }: StateContext, { top, lineageSize }: ReceiptFiles) => {
  let known:
    | { readonly of: EvidenceReading; readonly identity: string; readonly lacksReceipt: boolean }
    | undefined
  const lacks = async (reading: EvidenceReading): Promise<boolean> => {
    if (reading.kind !== 'valid') return false
    const { lacksTrustedReceipt } = await import('../open/check-evidence.ts')
    const folder = await top()
    return lacksTrustedReceipt({ root: folder, folder: root, config, environment }, reading.evidence)
  }
  return async (reading: EvidenceReading) => {
    const keys = reading.kind === 'missing' ? '' : await identityOf(join(await top(), KEYS_FILE))
    if (keys === '') return NO_KEYS
    const identity = `${keys} ${await lineageSize()}`
    if (known?.of !== reading || known.identity !== identity)
      known = { of: reading, identity, lacksReceipt: await lacks(reading) }
    return { listsKeys: true, lacksReceipt: known.lacksReceipt }
  }
}

/** The state of the unified server on a folder. Nothing is read, and no module loaded, before the first request. */
export const openServerState = (context: StateContext): ServerState => {
  const { config, root, environment, clock, evidence, changed } = context
  const top = lazyAsync(() => evidenceFolder(root))
  const head = lazyAsync(async () => {
    const { headReader } = await import('../../platform/git/head-state.ts')
    return headReader({ folder: root, environment, gitFolders: config.gitFolders })
  })
  const memory = lazyAsync(async () =>
    (await import('../open/user-state.ts')).logMemory(config, root, DECISION_LOG),
  )
  const lineageSize = async () =>
    config.store === 'memory' ? undefined : (await (await memory.get()).read())?.size
  return new ServerState({
    clock,
    changed,
    // Looks for the file first: where there is none, the reader of evidence is not loaded.
    evidence: async () =>
      (await identityOf(join(await top.get(), EVIDENCE_FILE))) === '' ? MISSING : evidence.read(),
    head: async () => (await head.get())().catch(() => undefined),
    lineageSize,
    receipts: receiptReader(context, { top: () => top.get(), lineageSize }),
  })
}

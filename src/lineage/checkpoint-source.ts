import type { CheckpointSigner } from './checkpoint.ts'
import { storeFaults } from './faults.ts'
import { compareWithSeen, describeMismatch, type LogMemory } from './log-memory.ts'
import { LogWriter } from './log-writer.ts'
import { rootAt } from './proof.ts'
import type { LineageLog } from './store.ts'

interface NewestCheckpoint {
  readonly size: number
  readonly root: string
  /** The signed note. */
  readonly note: string
}

interface SourcePorts {
  readonly log: LineageLog
  readonly signer: CheckpointSigner
  /** What this machine saw of the log. A log that is not its continuation is not signed. */
  readonly memory: LogMemory
}

const noSalt = (): string => {
  throw new TypeError('this position only follows a log')
}

/**
 * Signs checkpoints of a log while it grows. Verifies each entry once, however often it is asked, and signs nothing
 * that does not continue what it signed before.
 */
export class CheckpointSource {
  readonly #ports: SourcePorts
  #position: LogWriter | undefined
  #newest: NewestCheckpoint | undefined
  #running: Promise<NewestCheckpoint> | undefined

  constructor(ports: SourcePorts) {
    this.#ports = ports
  }

  newest(): Promise<NewestCheckpoint> {
    this.#running ??= this.#follow().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #follow(): Promise<NewestCheckpoint> {
    const { log, signer, memory } = this.#ports
    const seen = await memory.read()
    const outcome = seen && (await compareWithSeen(log, seen))
    if (seen !== undefined && outcome !== undefined && outcome !== 'grown')
      throw storeFaults.changed(`nothing was signed, because ${describeMismatch(outcome, seen)}`)
    this.#position ??= await LogWriter.open(log, noSalt)
    const position = this.#position
    for await (const _ of position.follow());
    const { size, root } = position
    if (this.#newest?.size === size) return this.#newest
    // Tiles are made from the stored tree, the checkpoint from the entries.
    if ((await rootAt(log, size)).root !== root)
      throw storeFaults.damaged('the stored Merkle tree does not match the entries')
    if ((seen?.size ?? 0) < size) memory.note({ size, head: position.link })
    this.#newest = { size, root, note: await signer.checkpoint(size, root) }
    return this.#newest
  }
}

import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { CheckDeadline } from '../../kernel/jail.ts'
import type { Clock } from '../../kernel/ports.ts'
import { type Embedder, SENTENCE_MODEL, SENTENCE_PROVIDER } from '../../packets/embed.ts'
import { packetFaults } from '../../packets/faults.ts'
import { SentenceModel } from '../../packets/minilm/model.ts'
import { MODEL_DIM, MODEL_PLACES } from '../../packets/minilm/model-layout.ts'
import { makeTokenizer, type Tokenizer } from '../../packets/minilm/tokenizer.ts'
import { splitSections } from '../../packets/minilm/windows.ts'
import type { ThreadJob } from '../system/thread-state.ts'
import type { WorkerPool } from '../system/worker-pool.ts'

const MODEL_FILE = 'minilm.bin'
/** The tokens as a table, which a new process reads faster than their list. */
const VOCABULARY_FILE = 'vocabulary.bin'

/** Up to so many texts are embedded in this thread: a worker would load the model first. */
const FEW = 4
/** Texts of one job. Threads end at about the same time when jobs are short. */
const JOB_TEXTS = 8
/** Texts between two reports of progress. */
const BATCH_TEXTS = 64
const MAX_THREADS = 8
const JOB_MS = 600_000
/** Weight of meaning beside words. Tuned on half of the questions of bench/quality. */
const MEANING_SHARE = 0.5

const refuseModel = (cause: unknown): never => {
  throw packetFaults.embedder('the model of the sentence embedder cannot be read', {
    cause,
    fix: 'Install Warrant again, or search by words with --embedder words.',
  })
}

/** Whether a folder has the model. A build without the weights has none. */
export const hasSentenceModel = (folder: string): boolean =>
  [MODEL_FILE, VOCABULARY_FILE].every((name) => existsSync(join(folder, name)))

/** Opens the file of the model. It stays open: words are read when a text has them. */
const readModel = (path: string): SentenceModel => {
  const file = openSync(path, 'r')
  try {
    if (fstatSync(file).size !== MODEL_PLACES.size) throw new Error(`${MODEL_FILE} has the wrong size`)
    return new SentenceModel((into, at) => {
      for (let done = 0; done < into.length; ) {
        const read = readSync(file, into, done, into.length - done, at + done)
        if (read === 0) throw new Error(`${MODEL_FILE} is cut off`)
        done += read
      }
    })
  } catch (cause) {
    closeSync(file)
    throw cause
  }
}

/** The model in a folder. Its parts are read on first need. */
class ModelFolder {
  readonly #folder: string
  #tokenizer: Tokenizer | undefined
  #model: SentenceModel | undefined

  constructor(folder: string) {
    this.#folder = folder
  }

  get tokenizer(): Tokenizer {
    try {
      this.#tokenizer ??= makeTokenizer(readFileSync(join(this.#folder, VOCABULARY_FILE)))
      return this.#tokenizer
    } catch (cause) {
      return refuseModel(cause)
    }
  }

  get #loaded(): SentenceModel {
    try {
      this.#model ??= readModel(join(this.#folder, MODEL_FILE))
      return this.#model
    } catch (cause) {
      return refuseModel(cause)
    }
  }

  /** Embeds texts one after the other. `check` is called before each and may throw. */
  embed(texts: readonly string[], check: () => void): Float32Array {
    const values = new Float32Array(texts.length * MODEL_DIM)
    const [{ tokenizer }, model] = [this, this.#loaded]
    texts.forEach((text, row) => {
      check()
      values.set(this.#embedTokens(model, tokenizer.encode(text).ids), row * MODEL_DIM)
    })
    return values
  }

  #embedTokens(model: SentenceModel, ids: readonly number[]): Float32Array {
    try {
      return model.embed(ids)
    } catch (cause) {
      // Words are read when a text has them.
      return refuseModel(cause)
    }
  }
}

/** The jobs of a worker thread, which loads the model once. */
export const sentenceJobs = (folder: string) => {
  const model = new ModelFolder(folder)
  return (
    { args }: ThreadJob<readonly string[]>,
    { checkDeadline }: { readonly checkDeadline: CheckDeadline },
  ): Float32Array => model.embed(args, checkDeadline)
}

type SentencePool = WorkerPool<string, Float32Array>

interface SentenceSettings {
  /** The folder of the model. */
  readonly folder: string
  /** The program of the worker threads. */
  readonly program: URL
  readonly clock: Clock
  readonly threads?: number
}

/** Embeds many texts in worker threads, each job on the next free one. */
const embedInThreads = (pool: SentencePool, texts: readonly string[], signal: AbortSignal) => {
  const jobs: Promise<Float32Array>[] = []
  for (let at = 0; at < texts.length; at += JOB_TEXTS)
    jobs.push(pool.run('embed', texts.slice(at, at + JOB_TEXTS), { ms: JOB_MS, signal }))
  return Promise.all(jobs)
}

/**
 * The built-in sentence embedder: all-MiniLM-L6-v2 on this machine, without network. Vectors do not depend on the
 * machine, the version of Node.js or the number of threads.
 */
export const sentenceEmbedder = ({
  folder,
  program,
  clock,
  threads,
}: SentenceSettings): Embedder & { readonly close: () => Promise<void> } => {
  const model = new ModelFolder(folder)
  let pool: Promise<SentencePool> | undefined
  const openPool = async (): Promise<SentencePool> => {
    // Not loaded for a question, which is embedded in this thread.
    const { WorkerPool } = await import('../system/worker-pool.ts')
    const maxThreads = Math.min(threads ?? availableParallelism(), MAX_THREADS)
    return new WorkerPool({ program, setup: folder, clock, maxThreads })
  }
  const embedAll = async (texts: readonly string[], signal: AbortSignal): Promise<Float32Array> => {
    if (texts.length <= FEW) return model.embed(texts, () => signal.throwIfAborted())
    pool ??= openPool()
    const values = new Float32Array(texts.length * MODEL_DIM)
    const parts = await embedInThreads(await pool, texts, signal)
    parts.forEach((part, job) => {
      values.set(part, job * JOB_TEXTS * MODEL_DIM)
    })
    return values
  }
  return {
    model: SENTENCE_MODEL,
    provider: SENTENCE_PROVIDER,
    dim: MODEL_DIM,
    batch: BATCH_TEXTS,
    share: MEANING_SHARE,
    windows: (source) => splitSections(model.tokenizer, source),
    close: async () => {
      const open = pool
      pool = undefined
      await (await open)?.close()
    },
    embed: async (texts, _use, signal) => ({
      rows: texts.length,
      dim: MODEL_DIM,
      values: await embedAll(texts, signal),
    }),
  }
}

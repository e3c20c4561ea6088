import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { CheckDeadline } from '../../kernel/jail.ts'
import type { Clock } from '../../kernel/ports.ts'
import type { Embedder } from '../../packets/embed.ts'
import { packetFaults } from '../../packets/faults.ts'
import type { Matrix } from '../../packets/format/vectors.ts'
import { SentenceModel } from '../../packets/minilm/model.ts'
import { MODEL_FILES } from '../../packets/minilm/model-artifact.ts'
import { MODEL_DIM, MODEL_PLACES } from '../../packets/minilm/model-layout.ts'
import { SENTENCE_MODEL, SENTENCE_PROVIDER } from '../../packets/minilm/model-name.ts'
import { packTokens } from '../../packets/minilm/token-table.ts'
import { makeTokenizer, type Tokenizer } from '../../packets/minilm/tokenizer.ts'
import { MAX_VOCABULARY, readTokens } from '../../packets/minilm/vocabulary.ts'
import { splitWindows } from '../../packets/minilm/windows.ts'
import type { ThreadJob } from '../system/thread-state.ts'
import type { WorkerPool } from '../system/worker-pool.ts'

const { name: MODEL_FILE } = MODEL_FILES.weights
const { name: VOCABULARY_FILE } = MODEL_FILES.vocabulary
/** Only beside the built-in model: a table that a registry sent would not be checked. */
const TABLE_FILE = 'tokens.bin'

/** Up to so many texts are embedded in this thread: a worker would load the model first. */
const FEW = 4
/** Texts of one job. Threads end at about the same time when jobs are short. */
const JOB_TEXTS = 8
/** Texts between two reports of progress. */
const BATCH_TEXTS = 64
const MAX_THREADS = 8
const JOB_MS = 600_000

const refuseModel = (cause: unknown): never => {
  throw packetFaults.embedder('the model of the sentence embedder cannot be read', {
    cause,
    fix: 'Install Warrant again, or search by words with --embedder words.',
  })
}

const refusePinned = (cause: unknown): never => {
  const { code, message } = cause as NodeJS.ErrnoException
  throw packetFaults.model(`the pinned model cannot be used: ${code ?? message}`, { cause })
}

/** Whether a folder has the model. A build without the weights has none. */
export const hasSentenceModel = (folder: string): boolean =>
  [MODEL_FILE, VOCABULARY_FILE, TABLE_FILE].every((name) => existsSync(join(folder, name)))

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

const readTokenizer = (path: string): Tokenizer => {
  const file = openSync(path, 'r')
  try {
    if (fstatSync(file).size > MAX_VOCABULARY) throw new Error(`${VOCABULARY_FILE} is too long`)
    return makeTokenizer(packTokens(readTokens(readFileSync(file))))
  } finally {
    closeSync(file)
  }
}

/** The tokenizer of the built-in model, from the table that the build made of its tokens. */
const readBuiltInTokenizer = (folder: string): Tokenizer =>
  makeTokenizer(readFileSync(join(folder, TABLE_FILE)))

/** The model in a folder. Its parts are read on first need. */
class ModelFolder {
  readonly #folder: string
  readonly #isBuiltIn: boolean
  readonly #refuse: (cause: unknown) => never
  #tokenizer: Tokenizer | undefined
  #model: SentenceModel | undefined

  /** The tokens of the built-in model are read from their table. */
  constructor(folder: string, { isBuiltIn = false, refuse = refuseModel } = {}) {
    this.#folder = folder
    this.#isBuiltIn = isBuiltIn
    this.#refuse = refuse
  }

  /** Reads and checks both files. */
  load(): void {
    void [this.tokenizer, this.#loaded]
  }

  get tokenizer(): Tokenizer {
    try {
      this.#tokenizer ??= this.#isBuiltIn
        ? readBuiltInTokenizer(this.#folder)
        : readTokenizer(join(this.#folder, VOCABULARY_FILE))
      return this.#tokenizer
    } catch (cause) {
      return this.#refuse(cause)
    }
  }

  get #loaded(): SentenceModel {
    try {
      this.#model ??= readModel(join(this.#folder, MODEL_FILE))
      return this.#model
    } catch (cause) {
      return this.#refuse(cause)
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
    // Weights that a registry sent may be finite and still overflow.
    if (values.some((value) => !Number.isFinite(value)))
      throw packetFaults.model('the model gives vectors with NaN or Inf')
    return values
  }

  #embedTokens(model: SentenceModel, ids: readonly number[]): Float32Array {
    try {
      return model.embed(ids)
    } catch (cause) {
      // Words are read when a text has them.
      return this.#refuse(cause)
    }
  }
}

/** The jobs of a worker thread, which loads the model once. */
export const sentenceJobs = (folder: string) => {
  const model = new ModelFolder(folder)
  return ({ args }: ThreadJob, { checkDeadline }: { readonly checkDeadline: CheckDeadline }): Float32Array =>
    model.embed(args as readonly string[], checkDeadline)
}

interface SentenceSettings {
  /** The folder of the model. */
  readonly folder: string
  /** Its name in packets, if it is not the built-in model. It is then checked at once. */
  readonly pinned?: string
  /** The program of the worker threads. */
  readonly program: URL
  readonly clock: Clock
  readonly threads?: number
}

/** Embeds many texts in worker threads, each job on the next free one. */
const embedInThreads = (pool: WorkerPool<string>, texts: readonly string[], signal: AbortSignal) => {
  const jobs: Promise<Float32Array>[] = []
  for (let at = 0; at < texts.length; at += JOB_TEXTS)
    jobs.push(
      // The worker returns what the job is declared to return.
      pool.run('embed', texts.slice(at, at + JOB_TEXTS), { ms: JOB_MS, signal }) as Promise<Float32Array>,
    )
  return Promise.all(jobs)
}

/**
 * The built-in sentence embedder: all-MiniLM-L6-v2 on this machine, without network. Vectors do not depend on the
 * machine, the version of Node.js or the number of threads.
 */
export const sentenceEmbedder = ({
  folder,
  pinned,
  program,
  clock,
  threads,
}: SentenceSettings): Embedder & { readonly close: () => Promise<void> } => {
  const model = new ModelFolder(folder, pinned === undefined ? { isBuiltIn: true } : { refuse: refusePinned })
  // In this thread, whose fault says which model it is.
  if (pinned !== undefined) model.load()
  let pool: Promise<WorkerPool<string>> | undefined
  const openPool = async (): Promise<WorkerPool<string>> => {
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
    model: pinned ?? SENTENCE_MODEL,
    provider: SENTENCE_PROVIDER,
    dim: MODEL_DIM,
    batch: BATCH_TEXTS,
    windows: (source) => splitWindows(model.tokenizer, source),
    close: async () => {
      const open = pool
      pool = undefined
      await (await open)?.close()
    },
    embed: async (texts, _use, signal): Promise<Matrix> => ({
      rows: texts.length,
      dim: MODEL_DIM,
      values: await embedAll(texts, signal),
    }),
  }
}

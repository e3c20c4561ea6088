import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { CheckDeadline } from '../../kernel/jail.ts'
import type { Clock } from '../../kernel/ports.ts'
import type { Embedder, WindowSource } from '../../packets/embed.ts'
import { packetFaults } from '../../packets/faults.ts'
import type { Matrix } from '../../packets/format/vectors.ts'
import { SentenceModel } from '../../packets/minilm/model.ts'
import { MODEL_FILES } from '../../packets/minilm/model-artifact.ts'
import { MODEL_DIM, MODEL_PLACES } from '../../packets/minilm/model-layout.ts'
import { EARLIER_SENTENCE_MODEL, SENTENCE_MODEL, SENTENCE_PROVIDER } from '../../packets/minilm/model-name.ts'
import { splitSections } from '../../packets/minilm/section-windows.ts'
import { MAX_VOCABULARY, readTokens } from '../../packets/minilm/token-list.ts'
import { makeTokenizer, type Tokenizer } from '../../packets/minilm/tokenizer.ts'
import { packVocabulary } from '../../packets/minilm/vocabulary.ts'
import { splitWindows } from '../../packets/minilm/windows.ts'
import type { ThreadJob } from '../system/thread-state.ts'
import type { WorkerPool } from '../system/worker-pool.ts'

const { name: MODEL_FILE } = MODEL_FILES.weights
const { name: VOCABULARY_FILE } = MODEL_FILES.vocabulary
/** The same tokens as a table, which a new process reads faster. Only the built-in model has it. */
const PACKED_VOCABULARY = 'vocabulary.bin'

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

const refusePinned = (cause: unknown): never => {
  const { code, message } = cause as NodeJS.ErrnoException
  throw packetFaults.model(`the pinned model cannot be used: ${code ?? message}`, { cause })
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

const readTokenizer = (path: string): Tokenizer => {
  const file = openSync(path, 'r')
  try {
    if (fstatSync(file).size > MAX_VOCABULARY) throw new Error(`${VOCABULARY_FILE} is too long`)
    return makeTokenizer(packVocabulary(readTokens(readFileSync(file))))
  } finally {
    closeSync(file)
  }
}

/** The model in a folder. Its parts are read on first need. */
class ModelFolder {
  readonly #folder: string
  /** Whether the model came with this program, and not from a registry: its table is not checked again. */
  readonly #isInstalled: boolean
  readonly #refuse: (cause: unknown) => never
  #tokenizer: Tokenizer | undefined
  #model: SentenceModel | undefined

  constructor(folder: string, isInstalled: boolean, refuse = isInstalled ? refuseModel : refusePinned) {
    this.#folder = folder
    this.#isInstalled = isInstalled
    this.#refuse = refuse
  }

  /** Reads and checks both files. */
  load(): void {
    void [this.tokenizer, this.#loaded]
  }

  get tokenizer(): Tokenizer {
    try {
      this.#tokenizer ??= this.#isInstalled
        ? makeTokenizer(readFileSync(join(this.#folder, PACKED_VOCABULARY)))
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
  // Either kind of model: the first thread has read a pinned one before.
  const model = new ModelFolder(folder, false, refuseModel)
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
  const model = new ModelFolder(folder, pinned === undefined)
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
  const shared = {
    provider: SENTENCE_PROVIDER,
    dim: MODEL_DIM,
    batch: BATCH_TEXTS,
    close: async () => {
      const open = pool
      pool = undefined
      await (await open)?.close()
    },
    embed: async (
      texts: readonly string[],
      _use: 'document' | 'query',
      signal: AbortSignal,
    ): Promise<Matrix> => ({
      rows: texts.length,
      dim: MODEL_DIM,
      values: await embedAll(texts, signal),
    }),
  }
  const earlier = {
    ...shared,
    model: EARLIER_SENTENCE_MODEL,
    windows: (source: WindowSource) => splitWindows(model.tokenizer, source),
  }
  // The name of other weights says that their windows are of the earlier kind.
  if (pinned !== undefined && pinned !== SENTENCE_MODEL) return { ...earlier, model: pinned }
  return {
    ...shared,
    model: SENTENCE_MODEL,
    share: MEANING_SHARE,
    windows: (source) => splitSections(model.tokenizer, source),
    earlier,
  }
}

import type { Digest } from '../../kernel/encoding/digest.ts'
import { digestBytes } from '../../kernel/encoding/hash.ts'
import { isRecord } from '../../kernel/encoding/json.ts'
import { Fault } from '../../kernel/fault.ts'
import { packetFaults } from '../../packets/faults.ts'
import {
  type Descriptor,
  INDEX_TYPE,
  LARGE_FILE,
  MANIFEST_TYPE,
  MAX_MANIFEST,
  readArtifact,
} from '../../packets/format/artifact.ts'
import type { Reference } from '../../packets/format/reference.ts'
import type { LentChunk, RegistryReader, RegistryRepository, Resolved } from '../../packets/registry.ts'
import { registryFaults } from './faults.ts'
import type { OciHttp } from './http.ts'
import { statusFault } from './status.ts'
import type { HttpResponse } from './transport.ts'

const ACCEPT = { accept: `${MANIFEST_TYPE}, ${INDEX_TYPE}` }
const MAX_TAG_BYTES = 4 * 1024 * 1024
const MAX_PAGES = 100
const MAX_TAGS = 100_000
const TAG = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/
const REFERRERS_TAG = /^sha256-[0-9a-f]{64}/

const parseJson = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'))
  } catch (cause) {
    throw registryFaults.garbled('the registry answers with something that is not JSON', { cause })
  }
}

/**
 * Ends a line that carries nothing any more. A network that went away does not say so, and the deadline of a large
 * file may be hours off. Only waiting for the registry counts, not what a reader does meanwhile.
 */
const watchLine = (until: AbortSignal, idleMs: number) => {
  const line = new AbortController()
  const passOn = () => line.abort(until.reason)
  const giveUp = () => line.abort(Object.assign(new Error('no more bytes come'), { code: 'ETIMEDOUT' }))
  const start = () => setTimeout(giveUp, idleMs).unref()
  let timer = start()
  const rest = () => clearTimeout(timer)
  until.addEventListener('abort', passOn, { once: true })
  if (until.aborted) passOn()
  return {
    signal: line.signal,
    /** Why it ended: of what was thrown only the first cause tells. */
    cause: (thrown: unknown): unknown => (line.signal.aborted ? line.signal.reason : thrown),
    rest,
    wait: () => {
      timer = start()
    },
    end: () => {
      rest()
      until.removeEventListener('abort', passOn)
    },
  }
}

/** Reads packets and what belongs to them from registries. */
export class OciClient implements RegistryReader {
  readonly #http: OciHttp

  constructor(http: OciHttp) {
    this.#http = http
  }

  async resolve(ref: Reference, signal: AbortSignal): Promise<Resolved> {
    const until = this.#http.deadline(signal)
    const name = ref.digest ?? ref.tag ?? 'latest'
    const answer = await this.#http.send(
      ref,
      { method: 'GET', target: `manifests/${name}`, headers: ACCEPT },
      until,
    )
    if (answer.status !== 200) throw await statusFault(ref, answer, `the manifest ${name}`)
    const bytes = await this.#http.readSmall(answer, MAX_MANIFEST, until)
    const digest = digestBytes(bytes)
    if (ref.digest !== undefined && ref.digest !== digest)
      throw packetFaults.mismatch(`the manifest that came as ${ref.digest} is another`)
    const claimed = answer.header('docker-content-digest')
    if (claimed !== null && claimed !== digest)
      throw packetFaults.mismatch('the registry calls a manifest by a digest it does not have')
    return { digest, bytes }
  }

  async *stream(at: RegistryRepository, blob: Descriptor, signal: AbortSignal): AsyncGenerator<LentChunk> {
    if (blob.size > this.#http.settings.maxBlobBytes)
      throw registryFaults.too_large(`${blob.digest} has ${blob.size} bytes`)
    const until = this.#http.deadline(signal, blob.size)
    let seen = 0
    for (let attempt = 1; ; attempt++) {
      const line = watchLine(until, this.#http.settings.idleMs)
      try {
        for await (const chunk of this.#part(at, blob, seen, line.signal)) {
          seen += chunk.length
          line.rest()
          yield chunk
          line.wait()
        }
        if (seen >= blob.size) return
        throw registryFaults.unreachable(`${at.host} ended after ${seen} of ${blob.size} bytes`)
      } catch (thrown) {
        const cause = this.#http.failure(line.cause(thrown), until, at.host)
        const again = cause instanceof Fault && cause.code === 'registry.unreachable'
        if (!again || attempt >= this.#http.settings.attempts) throw cause
        await this.#http.pause(attempt, until)
      } finally {
        line.end()
      }
    }
  }

  /** The rest of a blob from `start`. A server that knows no ranges sends all of it again, and we skip. */
  async *#part(
    at: RegistryRepository,
    blob: Descriptor,
    start: number,
    signal: AbortSignal,
  ): AsyncGenerator<LentChunk> {
    const headers: Record<string, string> = start === 0 ? {} : { range: `bytes=${start}-` }
    const answer = await this.#http.send(
      at,
      { method: 'GET', target: `blobs/${blob.digest}`, headers, bulk: blob.size - start >= LARGE_FILE },
      signal,
    )
    let skip = await this.#skipped(at, blob, start, answer)
    for await (const chunk of answer.body) {
      const rest = chunk.subarray(Math.min(skip, chunk.length))
      skip -= chunk.length - rest.length
      if (rest.length > 0) yield rest
    }
  }

  /** Judges the head of an answer: how many of its bytes we already have. */
  async #skipped(
    at: RegistryRepository,
    blob: Descriptor,
    start: number,
    answer: HttpResponse,
  ): Promise<number> {
    const resumed = start > 0 && answer.status === 206
    if (answer.status !== 200 && !resumed) throw await statusFault(at, answer, `the blob ${blob.digest}`)
    const range = answer.header('content-range')
    const wanted = `bytes ${start}-${blob.size - 1}/${blob.size}`
    const length = answer.header('content-length')
    const expected = resumed ? blob.size - start : blob.size
    if ((resumed && range !== wanted) || (length !== null && Number(length) !== expected)) {
      answer.discard()
      throw packetFaults.mismatch(`${at.host} offers other bytes than ${blob.digest} has`)
    }
    return resumed ? 0 : start
  }

  async tags(at: RegistryRepository, signal: AbortSignal): Promise<readonly string[]> {
    const until = this.#http.deadline(signal)
    const found = new Set<string>()
    let target: string | URL = 'tags/list'
    for (let page = 0; ; page++) {
      const answer = await this.#http.send(at, { method: 'GET', target }, until)
      if (answer.status !== 200) throw await statusFault(at, answer, 'its tags')
      const value = parseJson(await this.#http.readSmall(answer, MAX_TAG_BYTES, until))
      for (const tag of readTags(value)) found.add(tag)
      const next = await this.#nextPage(at, answer)
      if (next === undefined) break
      if (page >= MAX_PAGES || found.size > MAX_TAGS)
        throw registryFaults.garbled(`${at.host} lists tags without end`)
      target = next
    }
    return [...found].filter((tag) => !REFERRERS_TAG.test(tag))
  }

  async #nextPage(at: RegistryRepository, answer: HttpResponse): Promise<URL | undefined> {
    const [, location] = /^\s*<([^>]*)>\s*;.*rel="?next"?/i.exec(answer.header('link') ?? '') ?? []
    if (location === undefined) return undefined
    const base = answer.url
    const next = await this.#http.checkLocation(at.host, location, base)
    // The next page of a list is where the first one was.
    if (next.origin !== base.origin) throw registryFaults.garbled(`${at.host} continues its list elsewhere`)
    return next
  }

  async referrers(
    at: RegistryRepository,
    digest: Digest,
    signal: AbortSignal,
  ): Promise<readonly Descriptor[]> {
    const until = this.#http.deadline(signal)
    const direct = await this.#index(at, `referrers/${digest}`, until)
    if (direct !== undefined) return direct
    return (await this.#index(at, `manifests/${digest.replace(':', '-')}`, until)) ?? []
  }

  async #index(
    at: RegistryRepository,
    target: string,
    signal: AbortSignal,
  ): Promise<readonly Descriptor[] | undefined> {
    const answer = await this.#http.send(
      at,
      { method: 'GET', target, headers: { accept: INDEX_TYPE } },
      signal,
    )
    if (answer.status !== 200) {
      if (![400, 404, 405].includes(answer.status)) throw await statusFault(at, answer, 'what refers to it')
      answer.discard()
      return undefined
    }
    const document = readArtifact(await this.#http.readSmall(answer, MAX_MANIFEST, signal))
    return document.kind === 'index' ? document.manifests : []
  }
}

// A repository whose last tag was deleted answers `null`.
const readTags = (value: unknown): readonly string[] => {
  const tags = isRecord(value) ? value.tags : undefined
  if (tags === null || tags === undefined) {
    if (isRecord(value) && 'tags' in value) return []
    throw registryFaults.garbled('the registry lists no tags')
  }
  if (!Array.isArray(tags)) throw registryFaults.garbled('the registry lists no tags')
  return tags.filter((tag): tag is string => typeof tag === 'string' && TAG.test(tag))
}

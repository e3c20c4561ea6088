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
import type { LentChunk, RegistryReader, RegistryRepository, Resolved } from '../../packets/ports.ts'
import { registryFaults, statusFault } from './faults.ts'
import { type OciHttp, watchIdle } from './http.ts'
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
    throw registryFaults.garbled('the response of the registry is not JSON', { cause })
  }
}

/** Reads manifests, blobs, tags and referrers from registries. */
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
      throw packetFaults.mismatch(`the manifest received as ${ref.digest} has another digest`)
    const claimed = answer.header('docker-content-digest')
    if (claimed !== null && claimed !== digest)
      throw packetFaults.mismatch('the registry names another digest than its manifest has')
    return { digest, bytes }
  }

  async *stream(at: RegistryRepository, blob: Descriptor, signal: AbortSignal): AsyncGenerator<LentChunk> {
    if (blob.size > this.#http.settings.maxBlobBytes)
      throw registryFaults.too_large(`${blob.digest} has ${blob.size} bytes`)
    const until = this.#http.deadline(signal, blob.size)
    let seen = 0
    for (let attempt = 1; ; attempt++) {
      const idle = watchIdle(until, this.#http.settings.idleMs)
      try {
        for await (const chunk of this.#part(at, blob, seen, idle.signal)) {
          seen += chunk.length
          idle.pause()
          yield chunk
          idle.resume()
        }
        if (seen >= blob.size) return
        throw registryFaults.unreachable(`${at.host} ended after ${seen} of ${blob.size} bytes`)
      } catch (thrown) {
        const cause = this.#http.failure(idle.cause(thrown), until, at.host)
        const again = cause instanceof Fault && cause.code === 'registry.unreachable'
        if (!again || attempt >= this.#http.settings.attempts) throw cause
        await this.#http.pause(attempt, until)
      } finally {
        idle.end()
      }
    }
  }

  /**
   * The rest of a blob from `start`. A server without range support sends all of it, and the known part is
   * skipped.
   */
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
    let skip = await this.#knownBytes(at, blob, start, answer)
    for await (const chunk of answer.body) {
      const rest = chunk.subarray(Math.min(skip, chunk.length))
      skip -= chunk.length - rest.length
      if (rest.length > 0) yield rest
    }
  }

  /** Checks the response headers; returns how many of its bytes are already known. */
  async #knownBytes(
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
      throw packetFaults.mismatch(`${at.host} sends another range or length than ${blob.digest} has`)
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
    // The next page must be on the same origin.
    if (next.origin !== base.origin)
      throw registryFaults.garbled(`${at.host} continues its tag list on another host`)
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

// A repository whose last tag was deleted returns `null`.
const readTags = (value: unknown): readonly string[] => {
  const tags = isRecord(value) ? value.tags : undefined
  if (tags === null || tags === undefined) {
    if (isRecord(value) && 'tags' in value) return []
    throw registryFaults.garbled('the registry lists no tags')
  }
  if (!Array.isArray(tags)) throw registryFaults.garbled('the registry lists no tags')
  return tags.filter((tag): tag is string => typeof tag === 'string' && TAG.test(tag))
}

import type { Digest } from '../../kernel/encoding/digest.ts'
import { digestBytes } from '../../kernel/encoding/hash.ts'
import { Fault } from '../../kernel/fault.ts'
import { MANIFEST_TYPE } from '../../packets/format/artifact.ts'
import type { ByteSource } from '../../packets/format/faiss.ts'
import type { BlobUpload, RegistryRepository, RegistryWriter } from '../../packets/ports.ts'
import { registryFaults, statusFault } from './faults.ts'
import { type OciHttp, watchIdle } from './http.ts'
import type { HttpResponse, StreamBody } from './transport.ts'

const AGAIN = ['registry.unreachable', 'registry.unavailable']
const BYTES = { 'content-type': 'application/octet-stream' }

/** Read size; the next piece is read while the previous one is sent. */
const PIECE = 1024 * 1024

/** At least so many bytes a millisecond a registry hashes and stores, before it answers to the last of them. */
const STORED_PER_MS = 16 * 1024

/** A range of a source as a request body, which can be read again for a retry. */
const sourceRange = (
  source: ByteSource,
  from: number,
  size: number,
  report: (sent: number) => void,
): StreamBody => ({
  size,
  read: async function* () {
    const end = from + size
    const readAt = (at: number) => {
      const piece = at < end ? source.read(at, Math.min(PIECE, end - at)) : undefined
      piece?.catch(() => {})
      return piece
    }
    let next = readAt(from)
    for (let at = from; next !== undefined; ) {
      const piece = await next
      at += piece.length
      next = readAt(at)
      yield piece
      report(at)
    }
  },
})

/** Uploads blobs and manifests to registries. */
export class OciPusher implements RegistryWriter {
  readonly #http: OciHttp

  constructor(http: OciHttp) {
    this.#http = http
  }

  async pushBlob(upload: BlobUpload): Promise<'sent' | 'there'> {
    const { at, blob, signal, passed = () => {} } = upload
    const until = this.#http.deadline(signal, blob.size)
    if (await this.#has(at, blob.digest, this.#http.deadline(signal))) {
      passed(blob.size)
      return 'there'
    }
    // A restarted upload repeats bytes that were already reported.
    let reported = 0
    const report = (sent: number) => {
      if (sent > reported) passed(sent - reported)
      reported = Math.max(reported, sent)
    }
    for (let attempt = 1; ; attempt++) {
      const idle = watchIdle(until, this.#http.settings.idleMs)
      const watched = (sent: number) => {
        idle.resume(sent < blob.size ? 0 : blob.size / STORED_PER_MS)
        report(sent)
      }
      try {
        await this.#upload({ ...upload, signal: idle.signal }, watched)
        return 'sent'
      } catch (thrown) {
        const cause = this.#http.failure(idle.cause(thrown), until, at.host)
        // A broken upload is restarted, because it is unknown what the registry kept.
        const again = cause instanceof Fault && AGAIN.includes(cause.code)
        if (!again || attempt >= this.#http.settings.attempts) throw cause
        await this.#http.pause(attempt, until)
      } finally {
        idle.end()
      }
    }
  }

  async #has(at: RegistryRepository, digest: Digest, signal: AbortSignal): Promise<boolean> {
    const response = await this.#http.send(at, { method: 'HEAD', target: `blobs/${digest}` }, signal)
    response.discard()
    if (response.status === 200) return true
    if (response.status === 404) return false
    throw await statusFault(at, response, `the blob ${digest}`)
  }

  async #upload({ at, blob, source, signal }: BlobUpload, report: (sent: number) => void): Promise<void> {
    const begun = await this.#http.send(at, { method: 'POST', target: 'blobs/uploads/' }, signal)
    let place = await this.#accepted(at, begun, 'an upload')
    const { chunkBytes } = this.#http.settings
    let sent = 0
    for (; blob.size > chunkBytes && sent < blob.size; sent += chunkBytes) {
      const body = sourceRange(source, sent, Math.min(chunkBytes, blob.size - sent), report)
      const headers = { ...BYTES, 'content-range': `${sent}-${sent + body.size - 1}` }
      const answer = await this.#http.send(
        at,
        { method: 'PATCH', target: place, headers, body, once: true },
        signal,
      )
      place = await this.#accepted(at, answer, 'a part of a blob')
    }
    place.searchParams.set('digest', blob.digest)
    const body = sent === 0 ? sourceRange(source, 0, blob.size, report) : new Uint8Array()
    const done = await this.#http.send(
      at,
      { method: 'PUT', target: place, headers: BYTES, body, once: true },
      signal,
    )
    if (done.status !== 201) throw await statusFault(at, done, `room for the blob ${blob.digest}`)
    done.discard()
    report(blob.size)
  }

  /** The address for the next part of the upload. Another host never receives the password. */
  async #accepted(at: RegistryRepository, response: HttpResponse, what: string): Promise<URL> {
    if (response.status !== 202) throw await statusFault(at, response, `room for ${what}`)
    response.discard()
    return this.#http.checkLocation(at.host, response.header('location'), response.url)
  }

  async pushManifest(
    at: RegistryRepository,
    name: string,
    bytes: Uint8Array,
    signal: AbortSignal,
  ): Promise<Digest> {
    const until = this.#http.deadline(signal, bytes.length)
    const response = await this.#http.send(
      at,
      { method: 'PUT', target: `manifests/${name}`, headers: { 'content-type': MANIFEST_TYPE }, body: bytes },
      until,
    )
    if (response.status !== 201) throw await statusFault(at, response, `room for the manifest ${name}`)
    response.discard()
    const digest = digestBytes(bytes)
    const claimed = response.header('docker-content-digest')
    if (claimed !== null && claimed !== digest)
      throw registryFaults.garbled(`${at.host} stored another manifest than the one that was sent`)
    return digest
  }
}

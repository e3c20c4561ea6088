import { expect } from 'vitest'
import { INDEX_TYPE, MANIFEST_TYPE } from '../../src/packets/format/artifact.ts'
import type { MadePacket } from './packet-maker.ts'
import { carryBundle, referrersOf } from './test-sigstore.ts'

const put = async (url: string, type: string, body: Uint8Array, method = 'PUT') => {
  const answer = await fetch(url, { method, headers: { 'content-type': type }, body: new Uint8Array(body) })
  expect([201, 202]).toContain(answer.status)
  return answer.headers.get('location') ?? ''
}

const push = async (place: string, { manifest, blobs, digest }: MadePacket) => {
  for (const [name, bytes] of blobs) {
    const upload = new URL(await put(`${place}/blobs/uploads/`, 'text/plain', Buffer.alloc(0), 'POST'))
    upload.searchParams.set('digest', name)
    await put(upload.href, 'application/octet-stream', bytes)
  }
  await put(`${place}/manifests/${digest}`, MANIFEST_TYPE, manifest)
}

/** Does what `cosign sign` and `cosign attest` do on a registry that knows no referrers. */
export const attachBundles = async (
  host: string,
  repository: string,
  digest: string,
  ...bundles: readonly Buffer[]
): Promise<void> => {
  const place = `http://${host}/v2/${repository}`
  const made = bundles.map(carryBundle)
  for (const one of made) await push(place, one)
  await put(`${place}/manifests/${digest.replace(':', '-')}`, INDEX_TYPE, referrersOf(made, bundles))
}

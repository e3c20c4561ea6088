import { createHash } from 'node:crypto'
import { isRecord } from '../../kernel/encoding/json.ts'

const SIGNATURE = 'dev.cosignproject.cosign/signature'
const CERTIFICATE = 'dev.sigstore.cosign/certificate'
const LOG = 'dev.sigstore.cosign/bundle'

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const textOrEmpty = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The transparency log entry in the form of a bundle. */
const toLogEntry = (text: string): object | undefined => {
  const value = parse(text)
  const seen = isRecord(value) ? value.Payload : undefined
  if (!isRecord(value) || !isRecord(seen)) return undefined
  const body = textOrEmpty(seen.body)
  const entry = parse(Buffer.from(body, 'base64').toString('utf8'))
  if (!isRecord(entry)) return undefined
  return {
    logIndex: String(seen.logIndex),
    logId: { keyId: Buffer.from(textOrEmpty(seen.logID), 'hex').toString('base64') },
    kindVersion: { kind: textOrEmpty(entry.kind), version: textOrEmpty(entry.apiVersion) },
    integratedTime: String(seen.integratedTime),
    inclusionPromise: { signedEntryTimestamp: textOrEmpty(value.SignedEntryTimestamp) },
    canonicalizedBody: body,
  }
}

const pemToDer = (pem: string): string | undefined =>
  /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----/.exec(pem)?.[1]?.replace(/\s/g, '')

/**
 * Converts a keyless signature of older cosign versions, stored in layer annotations, into a sigstore bundle,
 * so that there is one verification path. It verifies nothing; undefined when a part is missing.
 */
export const legacyBundle = (
  payload: Uint8Array,
  annotations: Readonly<Record<string, string>>,
): Uint8Array | undefined => {
  const certificate = pemToDer(annotations[CERTIFICATE] ?? '')
  const entry = toLogEntry(annotations[LOG] ?? '')
  if (certificate === undefined || entry === undefined) return undefined
  const digest = createHash('sha256').update(payload).digest('base64')
  return Buffer.from(
    JSON.stringify({
      mediaType: 'application/vnd.dev.sigstore.bundle+json;version=0.1',
      verificationMaterial: {
        x509CertificateChain: { certificates: [{ rawBytes: certificate }] },
        tlogEntries: [entry],
      },
      messageSignature: {
        messageDigest: { algorithm: 'SHA2_256', digest },
        signature: annotations[SIGNATURE] ?? '',
      },
    }),
  )
}

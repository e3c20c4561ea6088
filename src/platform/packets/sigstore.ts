import type { Signer } from '@sigstore/verify'
import { isRecord } from '../../kernel/encoding/json.ts'
import {
  matchIdentity,
  type Signed,
  type TrustAnchors,
  type VerifyBundle,
} from '../../packets/trust/attestation.ts'
import type { TrustedKey } from '../../packets/trust/simple-signing.ts'

const STATEMENT_TYPE = 'application/vnd.in-toto+json'
const ROOT_TYPE = /^application\/vnd\.dev\.sigstore\.trustedroot/

/** Loaded with the first bundle: the library is large and rarely needed. */
const load = async () => {
  const [{ bundleFromJSON }, { TrustedRoot }, { toSignedEntity, toTrustMaterial, Verifier }] =
    await Promise.all([
      import('@sigstore/bundle'),
      import('@sigstore/protobuf-specs'),
      import('@sigstore/verify'),
    ])
  return { bundleFromJSON, TrustedRoot, toSignedEntity, toTrustMaterial, Verifier }
}
type Library = Awaited<ReturnType<typeof load>>
type Bundle = ReturnType<Library['bundleFromJSON']>

interface Verification {
  readonly library: Library
  readonly bundle: Bundle
  /** The signed bytes, when the bundle does not contain them. */
  readonly manifest: Buffer
}

/** Whether a value is a sigstore trusted root. */
export const isTrustedRoot = (value: unknown): boolean =>
  isRecord(value) &&
  ROOT_TYPE.test(String(value.mediaType)) &&
  Array.isArray(value.certificateAuthorities) &&
  value.certificateAuthorities.length > 0

/** A signature by a trusted key needs no log or timestamp: those of the bundle are ignored. */
const findKey = (
  { library, bundle, manifest }: Verification,
  keys: readonly TrustedKey[],
): string | undefined => {
  const { toSignedEntity, toTrustMaterial, TrustedRoot, Verifier } = library
  const entity = { ...toSignedEntity(bundle, manifest), tlogEntries: [], timestamps: [] }
  const none = { ctlogThreshold: 0, tlogThreshold: 0, timestampThreshold: 0 }
  return keys.find(({ key }) => {
    try {
      const found = () => ({ publicKey: key, validFor: () => true })
      new Verifier(toTrustMaterial(TrustedRoot.fromJSON({}), found), none).verify(entity)
      return true
    } catch {
      return false
    }
  })?.name
}

// The library uses the name in a checkpoint as a regular expression; a hostile one could take forever (ReDoS).
const PLAIN_NAME = /^[\w.:/-]{1,256}$/
const hasPlainNames = (envelope: string): boolean =>
  [...envelope.matchAll(/\u2014 (\S+)/g)].every(([, name = '']) => PLAIN_NAME.test(name))

/**
 * Whether every log entry has a signed time. An inclusion proof alone does not prove the time, and a short-
 * lived certificate needs one.
 */
const hasSignedTimes = ({ verificationMaterial }: Bundle): boolean =>
  verificationMaterial.tlogEntries.every(
    ({ integratedTime, inclusionPromise, inclusionProof }) =>
      hasPlainNames(inclusionProof?.checkpoint?.envelope ?? '') &&
      (!integratedTime || integratedTime === '0' || inclusionPromise !== undefined),
  )

const certificateHolder = ({ identity }: Signer): { readonly subject: string; readonly issuer: string } => ({
  subject: identity?.subjectAlternativeName ?? '',
  issuer: identity?.extensions?.issuer ?? '',
})

/** The holder of the certificate, if the bundle is valid in every respect. */
const findHolder = ({ library, bundle, manifest }: Verification, root: unknown) => {
  const { toSignedEntity, toTrustMaterial, TrustedRoot, Verifier } = library
  if (!isTrustedRoot(root) || !hasSignedTimes(bundle)) return undefined
  const trusted = TrustedRoot.fromJSON(root)
  const verifier = new Verifier(toTrustMaterial(trusted), {
    // A private sigstore may have no logs; those it has must contain the signature.
    ctlogThreshold: Math.min(trusted.ctlogs.length, 1),
    tlogThreshold: Math.min(trusted.tlogs.length, 1),
    timestampThreshold: 1,
  })
  return certificateHolder(verifier.verify(toSignedEntity(bundle, manifest)))
}

const readStatement = (bundle: Bundle): Pick<Signed, 'statement'> | undefined => {
  const { content } = bundle
  if (content.$case === 'messageSignature') return {}
  const { payload, payloadType } = content.dsseEnvelope
  return payloadType === STATEMENT_TYPE ? { statement: payload } : undefined
}

const undefinedOnError = <T>(read: () => T): T | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}

const findSigner = (
  verification: Verification,
  { keys, identities, root }: TrustAnchors,
): string | undefined => {
  if (verification.bundle.verificationMaterial.content.$case === 'publicKey')
    return findKey(verification, keys)
  const holder = identities.length === 0 ? undefined : findHolder(verification, root)
  return holder !== undefined && matchIdentity(identities, holder.subject, holder.issuer)
    ? `${holder.subject} (${holder.issuer})`
    : undefined
}

/** Verifies sigstore bundles by key or by certificate. Any exception of the library means "not verified". */
export const verifySigstoreBundle: VerifyBundle = async (bytes, anchors, subject) => {
  const library = await load()
  const bundle = undefinedOnError(() =>
    library.bundleFromJSON(JSON.parse(Buffer.from(bytes).toString('utf8'))),
  )
  const content = bundle === undefined ? undefined : readStatement(bundle)
  if (bundle === undefined || content === undefined) return undefined
  const manifest = Buffer.from(content.statement === undefined ? await subject.manifest() : [])
  const signer = undefinedOnError(() => findSigner({ library, bundle, manifest }, anchors))
  return signer === undefined ? undefined : { signer, ...content }
}

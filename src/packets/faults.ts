import { defineFaults, Fault } from '../kernel/fault.ts'

/** Faults of packets, their names and their bytes. */
export const packetFaults = defineFaults('packet', {
  reference: {
    kind: 'invalid',
    fix: 'Write host[:port]/path:tag or host[:port]/path@sha256:digest, the path in lower case.',
  },
  name: { kind: 'invalid', fix: 'Use lower-case letters and digits, with single . _ or - between them.' },
  version: {
    kind: 'invalid',
    fix: 'Use at most 128 letters, digits, dots, dashes and underscores; + is written as _.',
  },
  unsafe_path: { kind: 'refused', fix: 'Publish the packet again with relative file names.' },
  metadata: { kind: 'corrupt', fix: 'Publish the packet again, or ask its publisher to.' },
  manifest: { kind: 'corrupt', fix: 'Build the packet again.' },
  docs: { kind: 'corrupt', fix: 'Build the packet again: every line of docs.jsonl must be a chunk.' },
  vectors: { kind: 'corrupt', fix: 'Build the packet again, so that it has one vector for each document.' },
  index: { kind: 'corrupt', fix: 'Build the packet again; only flat inner-product indexes are read.' },
  lock: { kind: 'corrupt', fix: 'Remove the lock file and build again.' },
  lock_drift: {
    kind: 'conflict',
    fix: 'Build with --update-lock if the change is intended, or restore the sources and options of the lock.',
  },
  consumer_lock: {
    kind: 'corrupt',
    fix: 'Restore packets.lock from the history of the repository, or remove it and write it again with `warrant packet lock`.',
  },
  unlocked: {
    kind: 'missing',
    fix: 'Name the packets that the project relies on: `warrant packet lock REF`.',
  },
  revoked: {
    kind: 'refused',
    fix: 'Use another version of the packet. `query` still shows passages, with the reason.',
  },
  citation: {
    kind: 'invalid',
    fix: 'Cite packet://sha256:DIGEST/PATH#L1-L9 with digest, path and lines as `query` returned them; `warrant packet cache ls` lists the packets that were fetched.',
  },
  version_taken: {
    kind: 'conflict',
    fix: 'Build and publish it as another version. To replace what is published under this one, use --move-tag.',
  },
  unkept: {
    kind: 'unavailable',
    fix: 'Check that the state folder of this user can be written ($XDG_STATE_HOME, by default ~/.local/state), then try again.',
  },
  artifact: {
    kind: 'corrupt',
    fix: 'Check that the reference names a packet; if it does, publish the packet again.',
  },
  mismatch: {
    kind: 'corrupt',
    fix: 'Try again. If it fails again, the registry or a proxy changes the bytes it serves.',
  },
  model_mismatch: {
    kind: 'conflict',
    fix: "Set EMBEDDING_MODEL to the packet's model or leave it unset, or make vectors of your model with `warrant packet pull --rebuild`.",
  },
  no_vectors: {
    kind: 'missing',
    fix: 'Search by words, or use a packet that was published with vectors.',
  },
  embedder: {
    kind: 'unavailable',
    fix: 'Check EMBEDDING_URL, or the address of the provider, and that the embedding server runs.',
  },
  embedder_key: {
    kind: 'refused',
    fix: 'Set EMBEDDING_API_KEY, or auth of the provider, to a key that the embedding server accepts.',
  },
  embedder_answer: {
    kind: 'corrupt',
    fix: 'Check that EMBEDDING_URL, or the provider, speaks the embeddings protocol of OpenAI.',
  },
  provider: {
    kind: 'invalid',
    fix: 'Correct config/embeddings.yml, or do not set --provider and EMBEDDING_PROVIDER.',
  },
  fetching: {
    kind: 'unavailable',
    fix: 'Ask again later; the download continues meanwhile.',
  },
  no_docs: { kind: 'missing', fix: 'Use a packet that was published with its documents.' },
  no_sources: {
    kind: 'invalid',
    fix: 'Name a folder with text in it; ignored and binary files do not count.',
  },
  policy: {
    kind: 'refused',
    fix: 'Use a packet that the policy allows, or have the operator change policy.yml.',
  },
  policy_file: { kind: 'invalid', fix: 'Correct policy.yml; until then every packet is refused.' },
  too_large: {
    kind: 'exhausted',
    fix: 'Use a smaller packet, or raise --max-packet-bytes if that is the limit.',
  },
})

/** A tool's failure. The values of `error` are fixed by existing clients. */
export interface Failure {
  readonly ok: false
  readonly error: string
  readonly detail: string
  readonly hint?: string
  /** Whether the same call may succeed later. */
  readonly retryable?: boolean
  readonly digest?: string
}

/** The hint for requests that name no registry. */
export const NAME_REGISTRY =
  'Name a packet, and its registry with REGISTRY, --registry or registry; or give ref as oci://host/path.'

/** The hint for a reference that begins with a host and lacks its scheme; undefined for other references. */
export const schemeHint = (ref: string | undefined): string | undefined =>
  ref !== undefined && /^(?:localhost|[^/@]*[.:][^/@]*)\/./.test(ref) && !ref.includes('://')
    ? `If ${ref.split('/', 1)[0]} is the host of a registry, write the address with its scheme: oci://${ref}.`
    : undefined

export const fail = (error: string, detail: string, more: Partial<Failure> = {}): Failure => ({
  ok: false,
  error,
  detail,
  ...more,
})

/** Turns a fault into a failure. Anything else that was thrown is a bug and is thrown again. */
export const failWith = (error: string, thrown: unknown, more: Partial<Failure> = {}): Failure => {
  if (!(thrown instanceof Fault)) throw thrown
  return fail(error, thrown.message, { hint: thrown.fix, retryable: thrown.kind === 'unavailable', ...more })
}

import { defineFaults } from '../kernel/fault.ts'

/** What can be wrong with a packet, its name or its bytes. */
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
  unsafe_path: { kind: 'refused', fix: 'Publish the packet again with plain relative file names.' },
  metadata: { kind: 'corrupt', fix: 'Publish the packet again, or ask its publisher to.' },
  manifest: { kind: 'corrupt', fix: 'Build the packet again.' },
  docs: { kind: 'corrupt', fix: 'Build the packet again: every line of docs.jsonl must be a chunk.' },
  vectors: { kind: 'corrupt', fix: 'Build the packet again, so that its vectors fit its documents.' },
  index: { kind: 'corrupt', fix: 'Build the packet again; only flat inner-product indexes are read.' },
  lock: { kind: 'corrupt', fix: 'Remove the lock file and build again.' },
  lock_drift: {
    kind: 'conflict',
    fix: 'Build with --update-lock if the change is meant, or bring back what the lock was made from.',
  },
  catalog: {
    kind: 'corrupt',
    fix: 'Write the catalog again with `warrant packet catalog`, or leave the setting out.',
  },
  artifact: {
    kind: 'corrupt',
    fix: 'Check that the reference names a packet, and publish it again if it does.',
  },
  mismatch: {
    kind: 'corrupt',
    fix: 'Try again; if it stays, the registry or something before it changes what it serves.',
  },
  model_mismatch: {
    kind: 'conflict',
    fix: "Set EMBEDDING_MODEL to the packet's model or leave it unset, or make vectors of yours with `warrant packet pull --rebuild`.",
  },
  no_vectors: {
    kind: 'missing',
    fix: 'Search by words, or ask for a packet that was published with vectors.',
  },
  embedder: {
    kind: 'unavailable',
    fix: 'Check EMBEDDING_URL, or the address of the provider, and that the embedding server runs.',
  },
  embedder_key: {
    kind: 'refused',
    fix: 'Set EMBEDDING_API_KEY, or auth of the provider, to a key that the embedding server takes.',
  },
  embedder_answer: {
    kind: 'corrupt',
    fix: 'Check that EMBEDDING_URL, or the provider, speaks the embeddings protocol of OpenAI.',
  },
  provider: {
    kind: 'invalid',
    fix: 'Correct config/embeddings.yml, or leave --provider and EMBEDDING_PROVIDER out.',
  },
  fetching: {
    kind: 'unavailable',
    fix: 'Ask again in a while; the fetch goes on meanwhile.',
  },
  no_docs: { kind: 'missing', fix: 'Ask for a packet that was published with its documents.' },
  no_sources: {
    kind: 'invalid',
    fix: 'Name a folder with text in it; ignored and binary files do not count.',
  },
  policy: {
    kind: 'refused',
    fix: 'Ask for a packet that the policy allows, or have the operator change policy.yml.',
  },
  policy_file: { kind: 'invalid', fix: 'Correct policy.yml; until then no packet is used.' },
  too_large: {
    kind: 'exhausted',
    fix: 'Ask for a smaller packet, or raise --max-packet-bytes where that is the limit.',
  },
})

const CHOICES = ['minilm', 'words', 'server']
const PINNED = /^oci:\/\/[^\s@]+\/[^\s@]+@sha256:[0-9a-f]{64}$/

/**
 * Why a value of the setting `embedder` is refused; undefined when it is valid. A model on a registry is named by
 * digest: a tag may name another model tomorrow, and its vectors would not fit those of the packets.
 */
export const checkEmbedder = (value: unknown): string | undefined => {
  if (typeof value === 'string' && (CHOICES.includes(value) || PINNED.test(value))) return undefined
  return typeof value === 'string' && value.startsWith('oci://')
    ? `a model is named by its digest, oci://HOST/NAME@sha256:…; \`warrant packet pull ${value.slice(0, 200)}\` prints the digest of a tag`
    : `expected one of ${CHOICES.join(', ')}, or oci://HOST/NAME@sha256:…`
}

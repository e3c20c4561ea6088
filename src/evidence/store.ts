import type { Evidence } from './schema.ts'

/** Its name, in the root of a repository. */
export const EVIDENCE_FILE = '.ai_evidence.json'

/** What was found where the evidence should be. Never a throw: bad evidence is an answer. */
export type EvidenceReading =
  | { readonly kind: 'missing' }
  | {
      readonly kind: 'invalid'
      /** The version the file claims, when it claims one. */
      readonly version?: string
      /** A stable word: `unreadable`, `too-large`, `not-json`, `wrong-version`, `schema`, `evidence-chain-invalid`. */
      readonly reason: string
      /** Path of the first problem inside the document, such as `snapshot.findings.3.severity`. */
      readonly at?: string
    }
  | { readonly kind: 'valid'; readonly evidence: Evidence; readonly digest: string }

/** The evidence file of one repository. */
export interface EvidenceReader {
  /** The file as it is now. Parsed again only when the file has changed; `EvidenceReading` is the same object until then. */
  read(): Promise<EvidenceReading>
  /** Calls back when the file may have changed. Returns the function that stops it. */
  watch(changed: () => void): () => void
}

export interface EvidenceStore extends EvidenceReader {
  /**
   * Replaces the evidence by what `make` builds from the valid one before it. One writer at a time across
   * processes; whoever reads meanwhile sees the old file or the new one, whole.
   */
  replace(make: (previous: Evidence | undefined) => Evidence): Promise<Evidence>
}

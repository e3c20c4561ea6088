import { defineFaults } from '../kernel/fault.ts'
import type { Evidence } from './schema.ts'

export const evidenceFaults = defineFaults('evidence', {
  unusable: { kind: 'missing', fix: 'Run `warrant gate` in the repository to write new evidence.' },
  query: { kind: 'invalid', fix: 'Send a value as the message describes it.' },
  unwritable: { kind: 'unavailable', fix: 'Check permissions and free disk space of the repository folder.' },
})

/** Name of the evidence file in the root of a repository. */
export const EVIDENCE_FILE = '.ai_evidence.json'

/** Result of reading the evidence file. Invalid evidence is a result and not an error. */
export type EvidenceReading =
  | { readonly kind: 'missing' }
  | {
      readonly kind: 'invalid'
      /** The version in the file, if it has one. */
      readonly version?: string
      /** A stable word: `unreadable`, `too-large`, `not-json`, `wrong-version`, `schema`, `evidence-chain-invalid`. */
      readonly reason: string
      /** Path of the first problem inside the document, such as `snapshot.findings.3.severity`. */
      readonly at?: string
    }
  | { readonly kind: 'valid'; readonly evidence: Evidence; readonly digest: string }

/** The evidence file of one repository. */
export interface EvidenceReader {
  /** The current file. Parsed again only when it has changed; until then the result is the same object. */
  read(): Promise<EvidenceReading>
  /** Calls `changed` when the file may have changed. Returns the function that stops watching. */
  watch(changed: () => void): () => void
}

export interface EvidenceStore extends EvidenceReader {
  /**
   * Replaces the evidence by the result of `make`, which gets the previous evidence if it is valid. Locked across
   * processes and atomic: readers see the old file or the new one.
   */
  replace(make: (previous: Evidence | undefined) => Evidence | Promise<Evidence>): Promise<Evidence>
}

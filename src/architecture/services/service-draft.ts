export type ServiceKind =
  | 'service'
  | 'web application'
  | 'mobile application'
  | 'desktop application'
  | 'command'

/** A fact that shows a deployable, with its place. */
export interface ServiceEvidence {
  readonly file: string
  readonly line: number
  readonly reason: string
}

/** A deployable before the facts about one folder are joined. */
export interface ServiceDraft {
  readonly folder: string
  readonly name?: string
  readonly kind: ServiceKind
  readonly evidence: ServiceEvidence
  readonly aliases?: readonly string[]
  /** Folders of the project that it uses, beside its own. */
  readonly libraries?: readonly string[]
}

/** A part of the project that is deployed on its own. */
export interface Deployable {
  readonly name: string
  /** Relative to the root; empty for the root itself. Undefined when it runs an image that is built elsewhere. */
  readonly folder?: string
  readonly kind: ServiceKind
  readonly shownBy: readonly ServiceEvidence[]
  /** Further names by which other services reach it. */
  readonly aliases: readonly string[]
  /** Folders of library modules that are part of it. */
  readonly libraries: readonly string[]
  /** It runs the code of the service in this folder, with another command. */
  readonly process?: { readonly kind: 'worker' | 'scheduler'; readonly folder: string }
  /** Those of them that it uses itself, not through others, where the build says so. */
  readonly direct?: readonly string[]
}

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

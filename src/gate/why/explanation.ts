import type { GateStatus, Severity } from '../../evidence/schema.ts'
import type { GateStage } from '../../evidence/stage.ts'
import type { AgentVerdict } from '../judge-present.ts'

export interface VerdictRequest {
  /** Undefined: the stage of the evidence, or else the one that the gate infers. */
  readonly stage: GateStage | undefined
  /** A finding, rule, check or path; undefined for the whole verdict. */
  readonly about: string | undefined
}

/** A finding that blocks, or that a question named. */
export type Reason = {
  readonly severity: Severity
  readonly code: string
  readonly message: string
  readonly fix?: string
  readonly file: string
  readonly line?: number
  /** The rule that reports it. */
  readonly rule: string
  /** The check of the repository that reports it. */
  readonly check?: string
  readonly fingerprint: string
  /** Whether `warrant gate --fix` repairs it. */
  readonly safe_edit?: true
  /** Whether it is part of the verdict. False only for findings that a question named. */
  readonly blocks: boolean
}

/** One thing to do. The repairs of an explanation together allow the change, and none of them can be left out. */
export type Repair = {
  readonly action: string
  readonly command?: string
  readonly file?: string
  readonly line?: number
  /** How many reasons it removes. */
  readonly removes: number
}

/** What made a reason count, or a finding not count. */
export type PolicyLine = {
  /** A file with its line or member, a variable, a setting, or what is built in. */
  readonly where: string
  readonly file?: string
  readonly line?: number
  /** The commit whose version of the file counts; absent for the judged version. */
  readonly commit?: string
  readonly effect: string
}

/** Something that the verdict rests on. */
export type Basis = {
  readonly kind: 'evidence' | 'tree' | 'policy' | 'check' | 'specification' | 'packet' | 'lineage' | 'receipt'
  readonly name: string
  readonly digest?: string
  readonly detail: string
}

export type VerdictExplanation = {
  readonly status: GateStatus
  readonly stage: GateStage
  /** The finding, rule or path that was asked about. */
  readonly about?: string
  /** Worst first. */
  readonly reasons: readonly Reason[]
  readonly repairs: readonly Repair[]
  readonly counted: readonly PolicyLine[]
  /** What stops an agent beside the change; it does not change the status. */
  readonly agents: AgentVerdict
  readonly rests_on: readonly Basis[]
  readonly notes: readonly string[]
}

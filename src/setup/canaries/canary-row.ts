/** What a canary showed. */
type CanaryResult =
  | 'blocks'
  | 'does not block'
  | 'reports only'
  | 'skipped until trusted'
  | 'cannot be shown'
  | 'not set up'

/** One place where something may be refused. */
export interface CanaryRow {
  readonly point: string
  readonly result: CanaryResult
  readonly detail: string
  readonly fix?: string
}

/** Whether something that should block does not. */
export const isFailedCanary = ({ result }: CanaryRow): boolean =>
  result === 'does not block' || result === 'reports only'

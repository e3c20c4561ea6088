import { callFaults } from './call-faults.ts'
import type { Tool } from './tool.ts'

/** Which tools a server offers now. */
export interface ToolOffer {
  /** Changes whenever `isOffered` may answer otherwise: lists are cached by it. */
  readonly key: () => string
  readonly isOffered: (tool: Tool) => boolean
  /** Brings the answers up to date. Undefined when they are; never rejects. */
  readonly refresh: () => Promise<void> | undefined
  /** A refresh that is under way. Calls wait for it behind those that asked for it, so that they keep their order. */
  readonly pending: () => Promise<void> | undefined
}

/** Whether a tool is offered while the gate blocks: reading and diagnosis are, and what ends that state. */
export const isOfferedBlocked = ({ effect, whileBlocked }: Tool): boolean =>
  effect === 'read' || whileBlocked === true

/** Why tools that write are closed. */
export interface ClosedReason {
  readonly why: string
  /** What opens them. Default: to run the gate and repair. */
  readonly fix?: string
}

/** Refuses a tool that is not offered because of the gate. */
export const closedGuard =
  (closed: () => ClosedReason | undefined) =>
  (tool: Tool): void => {
    const reason = closed()
    if (reason === undefined || isOfferedBlocked(tool)) return
    const { why, fix } = reason
    throw callFaults.gate_blocked(`${tool.name} writes, and ${why}`, fix === undefined ? {} : { fix })
  }

/** The stages of a gate, in the order a change passes them. */
export const GATE_STAGES = ['PRE_WRITE', 'PRE_COMMIT', 'PRE_PUSH', 'CI'] as const
export type GateStage = (typeof GATE_STAGES)[number]

/** Whether the environment is that of a build server, which sets `CI`. */
export const isBuildServer = ({ CI }: NodeJS.ProcessEnv): boolean =>
  CI !== undefined && !/^(|0|false)$/i.test(CI.trim())

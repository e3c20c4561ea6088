import type { Invoke } from '../../kernel/invoke.ts'
import type { ToolOffer } from '../../kernel/tool-offer.ts'
import type { ServerState } from './server-state.ts'

/**
 * Calls with the state of the server around them: a tool that writes waits for a recent state of the gate, every answer
 * for recent facts of freshness, and the answer of a gate run for the state that it made. All of them are recent while
 * calls come, so most calls wait for nothing.
 */
export const withState = (invoke: Invoke, state: ServerState, offer: ToolOffer | undefined): Invoke => {
  const run: Invoke = (tool, args, call, done) => {
    const refreshing = state.touch()
    if (refreshing === undefined && !tool.whileBlocked) return invoke(tool, args, call, done)
    invoke(tool, args, call, (outcome) => {
      if (tool.whileBlocked) void state.reload().then(() => done(outcome))
      else void refreshing?.then(() => done(outcome))
    })
  }
  return (tool, args, call, done) => {
    const checking = tool.effect === 'write' ? offer?.refresh() : offer?.pending()
    if (checking === undefined) run(tool, args, call, done)
    else void checking.then(() => run(tool, args, call, done))
  }
}

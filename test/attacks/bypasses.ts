import type { Pledge } from '../requirements.ts'

/** A way to get a change past the gate, where it fails, and where it shows at the latest. */
interface Bypass extends Pick<Pledge, 'shownBy'> {
  readonly bypass: string
  readonly stopped: string
  readonly found: string
  readonly by: string
}

/** What an agent with a shell can try. `docs/bypasses.md` is printed from it. */
export const BYPASSES: readonly Bypass[] = []

import { BYPASSES } from './attacks/bypasses.ts'
import { THREATS } from './attacks/threats.ts'
import { type Pledge, PROMISES } from './requirements.ts'

/** Everything the documents claim, by name, with the tests that show it. */
export const CITATIONS: readonly (readonly [name: string, Pick<Pledge, 'shownBy'>])[] = [
  ...Object.entries(PROMISES),
  ...Object.values(THREATS)
    .flat()
    .map((threat) => [threat.attack, threat] as const),
  ...BYPASSES.map((bypass) => [bypass.bypass, bypass] as const),
]

import type { Invocation } from '../../surfaces/cli/command.ts'
import { serveStdio } from '../serve-stdio.ts'
import { hostHere, loadSettings } from '../world.ts'

export const run = async (invocation: Invocation): Promise<number> =>
  serveStdio(await hostHere(loadSettings(invocation)))

import type { Invocation } from '../../../surfaces/cli/command.ts'
import { hostHere, loadSettings } from '../../process-context.ts'
import { serveStdio } from '../../servers/serve-stdio.ts'

export const run = async (invocation: Invocation): Promise<number> =>
  serveStdio(await hostHere(loadSettings(invocation)))

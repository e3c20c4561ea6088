import type { Invocation } from '../../../surfaces/cli/command.ts'
import { createLazyServer, loadSettings } from '../../process-context.ts'
import { serveStdio } from '../../servers/serve-stdio.ts'

export const run = async (invocation: Invocation): Promise<number> =>
  serveStdio(await createLazyServer(loadSettings(invocation)))

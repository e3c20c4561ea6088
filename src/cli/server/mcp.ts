import { createLazyServer, loadSettings } from '../../app/process-context.ts'
import { serveStdio } from '../../app/servers/serve-stdio.ts'
import type { Invocation } from '../command/command.ts'

export const run = async (invocation: Invocation): Promise<number> =>
  serveStdio(await createLazyServer(loadSettings(invocation)))

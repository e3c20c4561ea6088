import { createLazyServer } from '../../app/process-context.ts'
import { cpmServer } from '../../app/servers/cpm.ts'
import { serveStdio } from '../../app/servers/serve-stdio.ts'
import type { Subcommand } from '../command/subcommand.ts'
import { embedSettings } from './settings.ts'

export const serve: Subcommand = async (invocation) => {
  return serveStdio(
    await createLazyServer(await embedSettings(invocation, cpmServer.preset), cpmServer.profile),
  )
}

import type { Subcommand } from '../../../surfaces/cli/subcommand.ts'
import { createLazyServer } from '../../process-context.ts'
import { cpmServer } from '../../servers/cpm.ts'
import { serveStdio } from '../../servers/serve-stdio.ts'
import { embedSettings } from './settings.ts'

export const serve: Subcommand = async (invocation) => {
  return serveStdio(
    await createLazyServer(await embedSettings(invocation, cpmServer.preset), cpmServer.profile),
  )
}

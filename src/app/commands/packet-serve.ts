import type { Verb } from '../../surfaces/cli/subcommand.ts'
import { cpmServer } from '../cpm-server.ts'
import { embedSettings } from '../packet-settings.ts'
import { serveStdio } from '../serve-stdio.ts'
import { hostHere } from '../world.ts'

export const serve: Verb = async (invocation) => {
  return serveStdio(await hostHere(await embedSettings(invocation, cpmServer.preset), cpmServer.face))
}

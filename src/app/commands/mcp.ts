import type { Invocation } from '../../surfaces/cli/command.ts'
import { serveLines } from '../../surfaces/mcp/stdio.ts'
import { endWith } from '../lifecycle.ts'
import { hostHere, loadSettings } from '../world.ts'

/** Serves the client on the other end of stdin and stdout until it hangs up. */
export const run = async (invocation: Invocation): Promise<number> => {
  const host = await hostHere(loadSettings(invocation))
  const server = serveLines(host, process.stdin, process.stdout)
  endWith(server.stop)
  await server.ended
  // Whatever a tool still has open (a child, a timer) must not outlive its client.
  process.exit(0)
}

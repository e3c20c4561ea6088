import { serveLines } from '../../surfaces/mcp/stdio.ts'
import type { ClosableHost } from '../process-context.ts'
import { onShutdown } from '../shutdown.ts'

/** Serves the client on the other end of stdin and stdout until it hangs up, and then ends the process. */
export const serveStdio = async (host: ClosableHost): Promise<never> => {
  const server = serveLines(host, process.stdin, process.stdout)
  const stop = async () => {
    await server.stop()
    await host.close()
  }
  onShutdown(stop, { orphaned: 'end' })
  await server.ended
  await host
    .close()
    .catch((cause: unknown) => host.handshake.log.write('error', 'could not close', { cause: String(cause) }))
  // Whatever a tool still has open (a child, a timer) must not outlive its client.
  process.exit(0)
}

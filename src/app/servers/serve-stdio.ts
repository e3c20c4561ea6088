import { serveLines } from '../../mcp/stdio.ts'
import type { ClosableServer } from '../process-context.ts'
import { onShutdown } from '../shutdown.ts'

/** Serves one client over stdin and stdout until it closes stdin, then exits. */
export const serveStdio = async (host: ClosableServer): Promise<never> => {
  const server = serveLines(host, process.stdin, process.stdout)
  const stop = async () => {
    await server.stop()
    await host.close()
  }
  onShutdown(stop, { orphaned: 'end' })
  await server.ended
  await host
    .close()
    .catch((cause: unknown) =>
      host.handshake.log.write('error', 'closing the server failed', { cause: String(cause) }),
    )
  // Child processes and timers of tools must not keep this process alive.
  process.exit(0)
}

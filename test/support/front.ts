import type { AddressInfo } from 'node:net'
import { createHttpServer } from '../../src/http/server.ts'
import { mcpEndpoint } from '../../src/mcp/http.ts'
import { randomIds } from '../../src/platform/system/ids.ts'
import type { TestService } from './service.ts'

export interface TestFront {
  readonly port: number
  close(): Promise<unknown>
}

/** The production HTTP front over a test's own tools, on a free loopback port. */
export const startFront = async ({ service }: TestService, direct: boolean): Promise<TestFront> => {
  const server = createHttpServer({
    routes: [mcpEndpoint(service, { direct }).route],
    access: { allowedHosts: [], allowedOrigins: [], token: undefined },
    headersMs: 10_000,
    requestMs: 10_000,
    log: service.parts.log,
    ids: randomIds,
    observe: () => {},
    challenge: () => 'Bearer',
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}

import { createMcpHandler } from '@modelcontextprotocol/server'
import type { ChangeEvent } from '../kernel/change-events.ts'
import { createSdkServer, type Decorate, fitInitialize } from './sdk.ts'
import type { Service } from './service.ts'

export { isEnvelope } from './sdk.ts'

/** The SDK's HTTP handler over the kernel. Each request gets its own SDK server. */
export const createHandler = (service: Service, decorate?: Decorate) => {
  const { limits, log } = service.parts
  // Legacy clients have no stream for change notifications here, so the capability is not announced.
  const silent = Object.fromEntries(Object.keys(service.handshake.capabilities).map((name) => [name, {}]))
  const factory = ({ era }: { readonly era: 'legacy' | 'modern' }) =>
    createSdkServer(service, era, { decorate, ...(era === 'legacy' && { capabilities: silent }) })
  const handler = createMcpHandler(factory, {
    maxRequestBodySize: limits.bodyBytes,
    onerror: (error) => log.write('debug', 'protocol', { error: error.message }),
  })
  return {
    fetch: (request: Request, parsedBody: unknown): Promise<Response> =>
      handler.fetch(request, parsedBody === undefined ? {} : { parsedBody: fitInitialize(parsedBody) }),
    announce(change: ChangeEvent): void {
      const { notify } = handler
      switch (change.kind) {
        case 'tools':
          return notify.toolsChanged()
        case 'prompts':
          return notify.promptsChanged()
        case 'resources':
          return notify.resourcesChanged()
        case 'resource':
          return notify.resourceUpdated(change.uri)
      }
    },
    close: () => handler.close(),
  }
}

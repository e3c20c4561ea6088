// A registry of packets in memory: as much of the OCI distribution specification as one push and one pull need.
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'

const digestOf = (/** @type {Buffer} */ bytes) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`

/** Listens on a free port of this machine. */
export const startRegistry = async () => {
  /** @type {Map<string, { bytes: Buffer, type: string }>} */
  const stored = new Map()
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://registry')
    const parts = []
    for await (const part of request) parts.push(part)
    const bytes = Buffer.concat(parts)
    const type = request.headers['content-type'] ?? 'application/octet-stream'
    const digest = digestOf(bytes)
    if (request.method === 'POST') return response.writeHead(202, { location: `${pathname}one` }).end()
    if (request.method === 'PUT') {
      const named = searchParams.get('digest')
      if (named !== null && named !== digest) return response.writeHead(400).end()
      const folder = pathname
        .replace(/\/blobs\/uploads\/.*$/, '/blobs')
        .replace(/\/manifests\/[^/]*$/, '/manifests')
      stored.set(`${folder}/${digest}`, { bytes, type })
      if (folder.endsWith('/manifests')) stored.set(pathname, { bytes, type })
      return response.writeHead(201, { location: pathname, 'docker-content-digest': digest }).end()
    }
    if (pathname === '/v2/') return response.writeHead(200).end('{}')
    const found = stored.get(pathname)
    if (found === undefined) return response.writeHead(404).end()
    const headers = {
      'content-type': found.type,
      'content-length': found.bytes.length,
      'docker-content-digest': digestOf(found.bytes),
    }
    response.writeHead(200, headers).end(request.method === 'HEAD' ? undefined : found.bytes)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return {
    name: `127.0.0.1:${port}/team`,
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

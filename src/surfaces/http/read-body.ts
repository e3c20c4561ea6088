import type { IncomingMessage } from 'node:http'

/** The whole body; undefined when it is longer than `limit`, and then none of it is kept. */
export const readBody = (request: IncomingMessage, limit: number): Promise<Buffer | undefined> =>
  new Promise((resolve, reject) => {
    if (Number(request.headers['content-length'] ?? 0) > limit) {
      request.resume()
      return resolve(undefined)
    }
    const parts: Buffer[] = []
    let size = 0
    request.on('data', (part: Buffer) => {
      size += part.length
      if (size > limit) {
        parts.length = 0
        resolve(undefined)
      } else {
        parts.push(part)
      }
    })
    request.on('end', () => resolve(parts.length === 1 ? parts[0] : Buffer.concat(parts)))
    request.on('error', reject)
    request.on('close', () => reject(new Error('the client went away')))
  })

import type { IncomingMessage } from 'node:http'
import type { PausedBody } from './client-limits.ts'

/** Bodies that are announced with no more than this are read without a pause: as many as fit have room. */
const SHORT_BODY = 48 * 1024

interface BodyOptions {
  readonly limit: number
  /** Called with the number of bytes in memory each time it changes. False: there is no room for more now. */
  readonly keep: (bytes: number) => boolean
  readonly pause: (body: PausedBody) => void
}

/**
 * The whole body; undefined when it is longer than `limit`, and then none of it is kept. The parts are copied into
 * one buffer that doubles, because a body in parts of one byte would take a hundred times its size.
 */
export const readBody = (
  request: IncomingMessage,
  { limit, keep, pause }: BodyOptions,
): Promise<Buffer | undefined> =>
  new Promise((resolve, reject) => {
    const announced = request.headers['content-length']
    const most = announced === undefined ? limit : Number(announced)
    if (most > limit) {
      request.resume()
      return resolve(undefined)
    }
    let kept: Buffer | undefined
    let size = 0
    const add = (part: Buffer): Buffer => {
      if (kept === undefined) return part
      if (size + part.length > kept.length) {
        const larger = Buffer.allocUnsafeSlow(Math.min(most, Math.max(2 * kept.length, size + part.length)))
        kept.copy(larger, 0, 0, size)
        kept = larger
      }
      part.copy(kept, size)
      return kept
    }
    const drop = () => {
      kept = undefined
      keep(0)
    }
    const onData = (part: Buffer) => {
      if (size + part.length > limit) {
        drop()
        request.off('data', onData)
        request.resume()
        return resolve(undefined)
      }
      kept = add(part)
      size += part.length
      if (!keep(kept.length) && size !== most && most > SHORT_BODY) {
        request.pause()
        pause({ missingBytes: most - size, resume: () => request.resume() })
      }
    }
    request.on('data', onData)
    request.on('end', () => {
      resolve(kept?.subarray(0, size) ?? Buffer.alloc(0))
      drop()
    })
    request.on('error', reject)
    request.on('close', () => {
      drop()
      reject(new Error('the client went away'))
    })
  })

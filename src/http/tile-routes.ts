import { Fault } from '../kernel/fault.ts'
import { type Route, sendJson } from './server.ts'

/** A log as static files: its newest checkpoint, and tiles that never change. */
interface TilePorts {
  readonly checkpoint: () => Promise<string | undefined>
  /** By the path below the address of the log. */
  readonly tile: (path: string) => Promise<Buffer | undefined>
}

const PREFIX = '/tiles'
const CHECKPOINT = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-cache' }
/** The content of a tile is part of its name: a partial tile that grew has another one. */
const TILE = { 'content-type': 'application/octet-stream', 'cache-control': 'max-age=31536000, immutable' }

/** The log of decisions as C2SP tlog-tiles. */
export const tileRoutes = (ports: TilePorts): readonly Route[] => {
  const send =
    (read: (path: string) => Promise<string | Buffer | undefined>, headers: object): Route['handle'] =>
    async ({ raw }, response) => {
      try {
        const [path = ''] = (raw.url ?? '').slice(PREFIX.length + 1).split('?')
        const body = await read(path)
        if (body === undefined)
          return sendJson(response, 404, { error: { status: 404, message: 'The log has no such tile' } })
        response.writeHead(200, { ...headers, 'content-length': Buffer.byteLength(body) })
        response.end(body)
      } catch (thrown) {
        if (!(thrown instanceof Fault)) throw thrown
        const { message, code, fix } = thrown
        sendJson(response, 503, { error: { status: 503, message, code, fix } })
      }
    }
  const methods = ['GET', 'HEAD']
  return [
    {
      path: `${PREFIX}/checkpoint`,
      summary: 'The newest signed checkpoint of the log of decisions (c2sp.org/tlog-checkpoint).',
      methods,
      handle: send(ports.checkpoint, CHECKPOINT),
    },
    {
      path: `${PREFIX}/tile`,
      summary: 'Tiles and entry bundles of that log (c2sp.org/tlog-tiles), such as `/tiles/tile/0/000`.',
      methods,
      withBelow: true,
      handle: send(ports.tile, TILE),
    },
  ]
}

import { memorySource } from '../../src/packets/format/faiss.ts'
import { publishPacket } from '../../src/packets/transfer/publish.ts'
import { DEFAULT_OCI, OciHttp } from '../../src/platform/registry/http.ts'
import { OciPusher } from '../../src/platform/registry/push.ts'
import { sentenceNamed } from './local-embedder.ts'
import { buildTexts, noAbort } from './packet-setup.ts'

interface PublishedText {
  readonly version: string
  readonly text: string
}

/** Publishes a packet `guide` with one file, which `latest` then names, without starting a program. */
export const publishText = async (
  host: string,
  folder: string,
  { version, text }: PublishedText,
): Promise<string> => {
  const files = await buildTexts({ 'guide.md': text }, { name: 'guide', version, embedder: sentenceNamed })
  const open = async (path: string) => {
    const bytes = files.get(path)
    return bytes === undefined ? undefined : memorySource(bytes)
  }
  const pusher = new OciPusher(new OciHttp({ ...DEFAULT_OCI, trusted: [host] }))
  return (await publishPacket(pusher, open, { registry: `${host}/${folder}` }, noAbort)).digest
}

import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { answerRequest } from './http.ts'

const CHUNKS = 40
const chunk = new Uint8Array(1024 * 1024)

/** A long body, and the most listeners for the end of the response that were seen while it went out. */
const longAnswer = (response: ServerResponse) => {
  let sent = 0
  const seen = { most: 0 }
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      seen.most = Math.max(seen.most, response.listenerCount('close'))
      sent += 1
      if (sent > CHUNKS) controller.close()
      else controller.enqueue(chunk)
    },
  })
  return { seen, answer: new Response(body) }
}

it('waits for a slow client as often as it takes, and listens for its end no more often than once', async () => {
  let most = 0
  const server = createServer(async (_, response) => {
    const { seen, answer } = longAnswer(response)
    await answerRequest(response, async () => answer)
    most = seen.most
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const got = await (await fetch(`http://127.0.0.1:${port}/`)).arrayBuffer()
  expect(got.byteLength).toBe(CHUNKS * chunk.length)
  server.closeAllConnections()
  server.close()
  expect(most).toBeLessThan(6)
})

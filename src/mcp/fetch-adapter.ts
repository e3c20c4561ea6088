import type { IncomingMessage, ServerResponse } from 'node:http'
import { waitForDrain } from '../kernel/async/stream-drain.ts'

/** A Fetch API request without its body, which has been read already and is passed separately. */
export const webRequest = (request: IncomingMessage, signal: AbortSignal): Request => {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    for (const one of Array.isArray(value) ? value : [value ?? '']) headers.append(name, one)
  }
  const url = new URL('/mcp', 'http://localhost')
  return new Request(url, { method: request.method ?? 'GET', headers, signal })
}

/** Writes a Fetch API response with back-pressure. A disconnect aborts it. */
export const answerRequest = async (
  response: ServerResponse,
  ask: (signal: AbortSignal) => Promise<Response>,
): Promise<void> => {
  const controller = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) controller.abort()
  })
  const answer = await ask(controller.signal)
  response.writeHead(answer.status, Object.fromEntries(answer.headers))
  if (answer.body === null) return void response.end()
  response.flushHeaders()
  const reader = answer.body.getReader()
  controller.signal.addEventListener('abort', () => void reader.cancel().catch(() => {}))
  for (;;) {
    const { done, value } = await reader.read()
    if (done || response.destroyed) break
    if (!response.write(value)) await waitForDrain(response)
  }
  response.end()
}

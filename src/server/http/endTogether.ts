/**
 * Ends small answers together, once the node has processed all requests that had arrived: the system must wake a client that waits
 * for each answer, but not one that is still reading others. With ten connections, small calls take 0.6 to 0.8 of the processor time.
 */
import type { ServerResponse } from 'node:http'

let waiting: { response: ServerResponse; body: readonly string[] }[] = []

/**
 * Ends an answer with the rest of its body, given in pieces, at the end of this turn of the event loop. Its head must be written.
 * Pieces are handed to the system together, but not joined, which would copy them once more.
 */
export function endTogether(response: ServerResponse, body: readonly string[]): void {
  if (waiting.length === 0) setImmediate(endAll)
  waiting.push({ response, body })
}

function endAll(): void {
  const ending = waiting
  waiting = []
  // A client may have disconnected meanwhile.
  for (const { response, body } of ending) if (!response.destroyed) endNow(response, body)
}

function endNow(response: ServerResponse, body: readonly string[]): void {
  const last = body.length - 1
  if (last > 0) response.cork()
  for (let i = 0; i < last; i++) response.write(body[i])
  response.end(body[last])
}

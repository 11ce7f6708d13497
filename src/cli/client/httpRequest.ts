/** Sends one request to a node and waits for the response. */
import { request as requestPlain } from 'node:http'
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import { CommandError } from '../framework/exit.js'

/** A request body generated while it is sent. */
export interface StreamedBody {
  /** Media type. */
  type: string
  chunks: AsyncIterable<Uint8Array>
}

interface RequestDetails {
  /** Request function; plain HTTP by default. */
  send?: typeof requestPlain
  options: RequestOptions
  /** JSON as text, or a streamed body. */
  body?: string | StreamedBody | undefined
  /** Time to wait for the response after the last written chunk of the request, in milliseconds; undefined means no limit. */
  timeoutMs?: number | undefined
}

/**
 * Sends a request and returns its response once it has begun. A response before the end of the body stops sending.
 * @param unreachable creates the error for a failed connection
 * @throws CommandError 7 after the timeout, the error from `unreachable`, or the error of the body's generator
 */
export function httpRequest({ send = requestPlain, options, body, timeoutMs }: RequestDetails, unreachable: (cause: unknown) => CommandError): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = send({ ...options, headers: { ...options.headers, ...headersOf(body) }, agent: false })
    let timer: NodeJS.Timeout | undefined
    const restartTimer = (): void => {
      clearTimeout(timer)
      if (timeoutMs === undefined) return
      timer = setTimeout(() => {
        request.destroy()
        reject(timeoutError(timeoutMs))
      }, timeoutMs)
    }
    restartTimer()
    let isAnswered = false
    request.on('response', (answer) => {
      isAnswered = true
      clearTimeout(timer)
      // Stop sending a request that was refused before its end.
      answer.once('end', () => request.writableEnded || request.destroy())
      resolve(answer)
    })
    request.on('error', (cause) => {
      clearTimeout(timer)
      reject(unreachable(cause))
    })
    if (typeof body !== 'object') return void request.end(body)
    sendBody(request, body.chunks, { isClosed: () => isAnswered || request.destroyed, onWritten: restartTimer }).catch((cause: unknown) => {
      clearTimeout(timer)
      reject(cause instanceof Error ? cause : new Error(String(cause)))
      // Aborted, so that the node discards the partial request.
      request.destroy()
    })
  })
}

function headersOf(body: string | StreamedBody | undefined): Record<string, string | number> {
  if (body === undefined) return {}
  if (typeof body === 'string') return { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  return { 'content-type': body.type }
}

/** Sends a body with backpressure. */
async function sendBody(request: ClientRequest, chunks: AsyncIterable<Uint8Array>, { isClosed, onWritten }: { isClosed(): boolean; onWritten(): void }): Promise<void> {
  for await (const chunk of chunks) {
    if (isClosed()) return
    if (!request.write(chunk)) await drained(request)
    if (isClosed()) return
    onWritten()
  }
  request.end()
}

/** Resolves when more can be sent, or nothing more needs to be sent. */
function drained(request: ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      for (const event of ['drain', 'close', 'response'] as const) request.off(event, done)
      resolve()
    }
    for (const event of ['drain', 'close', 'response'] as const) request.on(event, done)
  })
}

function timeoutError(timeoutMs: number): CommandError {
  const hint = 'Increase the limit with --timeout.'
  return new CommandError(`The node did not answer within ${timeoutMs / 1000} s.`, { exit: 7, hint })
}

/** One request to a node, and the wait for its answer. */
import { request as requestPlain } from 'node:http'
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import { CommandError } from '../framework/exit.js'

/** A body that is made as it goes out. */
export interface StreamedBody {
  /** Its media type. */
  type: string
  chunks: AsyncIterable<Uint8Array>
}

interface Asked {
  /** How it is sent: in the clear unless given. */
  send?: typeof requestPlain
  options: RequestOptions
  /** JSON as text, or a body that is made as it goes out. */
  body?: string | StreamedBody | undefined
  /** How long to wait for the answer to begin once the node has taken what was sent; without limit when undefined. */
  timeoutMs?: number | undefined
}

/**
 * The answer, once it has begun. One that comes before the body has gone out ends the sending.
 * @param unreachable what is said when none comes
 * @throws CommandError 7 after the time, what `unreachable` makes, or what making the body threw
 */
export function httpRequest({ send = requestPlain, options, body, timeoutMs }: Asked, unreachable: (cause: unknown) => CommandError): Promise<IncomingMessage> {
  return new Promise((give, fail) => {
    const input = send({ ...options, headers: { ...options.headers, ...headersOf(body) }, agent: false })
    let timer: NodeJS.Timeout | undefined
    const wait = (): void => {
      clearTimeout(timer)
      if (timeoutMs === undefined) return
      timer = setTimeout(() => {
        input.destroy()
        fail(tooSlow(timeoutMs))
      }, timeoutMs)
    }
    wait()
    let isAnswered = false
    input.on('response', (answer) => {
      isAnswered = true
      clearTimeout(timer)
      // What was refused before it had gone out is not sent any more.
      answer.once('end', () => input.writableEnded || input.destroy())
      give(answer)
    })
    input.on('error', (cause) => {
      clearTimeout(timer)
      fail(unreachable(cause))
    })
    if (typeof body !== 'object') return void input.end(body)
    sent(input, body.chunks, { isOver: () => isAnswered || input.destroyed, taken: wait }).catch((cause: unknown) => {
      clearTimeout(timer)
      fail(cause instanceof Error ? cause : new Error(String(cause)))
      // Cut off, so that the node takes what came for nothing.
      input.destroy()
    })
  })
}

function headersOf(body: string | StreamedBody | undefined): Record<string, string | number> {
  if (body === undefined) return {}
  if (typeof body === 'string') return { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  return { 'content-type': body.type }
}

/** Sends a body as fast as it is taken. */
async function sent(input: ClientRequest, chunks: AsyncIterable<Uint8Array>, { isOver, taken }: { isOver(): boolean; taken(): void }): Promise<void> {
  for await (const chunk of chunks) {
    if (isOver()) return
    if (!input.write(chunk)) await room(input)
    if (isOver()) return
    taken()
  }
  input.end()
}

/** Resolves when more can be sent, or nothing need be sent any more. */
function room(input: ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      for (const event of ['drain', 'close', 'response'] as const) input.off(event, done)
      resolve()
    }
    for (const event of ['drain', 'close', 'response'] as const) input.on(event, done)
  })
}

function tooSlow(timeoutMs: number): CommandError {
  const hint = 'Wait longer with --timeout.'
  return new CommandError(`The node did not answer within ${timeoutMs / 1000} s.`, { exit: 7, hint })
}

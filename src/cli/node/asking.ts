/** One request to a node, and the wait for its answer. */
import { request as requestPlain } from 'node:http'
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import { CommandError } from '../exit.js'

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
export function requested({ send = requestPlain, options, body, timeoutMs }: Asked, unreachable: (cause: unknown) => CommandError): Promise<IncomingMessage> {
  return new Promise((give, fail) => {
    const asked = send({ ...options, headers: { ...options.headers, ...headersOf(body) }, agent: false })
    let timer: NodeJS.Timeout | undefined
    const wait = (): void => {
      clearTimeout(timer)
      if (timeoutMs === undefined) return
      timer = setTimeout(() => {
        asked.destroy()
        fail(tooSlow(timeoutMs))
      }, timeoutMs)
    }
    wait()
    let isAnswered = false
    asked.on('response', (answer) => {
      isAnswered = true
      clearTimeout(timer)
      // What was refused before it had gone out is not sent any more.
      answer.once('end', () => asked.writableEnded || asked.destroy())
      give(answer)
    })
    asked.on('error', (cause) => {
      clearTimeout(timer)
      fail(unreachable(cause))
    })
    if (typeof body !== 'object') return void asked.end(body)
    sent(asked, body.chunks, { isOver: () => isAnswered || asked.destroyed, taken: wait }).catch((cause: unknown) => {
      clearTimeout(timer)
      fail(cause instanceof Error ? cause : new Error(String(cause)))
      // Cut off, so that the node takes what came for nothing.
      asked.destroy()
    })
  })
}

function headersOf(body: string | StreamedBody | undefined): Record<string, string | number> {
  if (body === undefined) return {}
  if (typeof body === 'string') return { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  return { 'content-type': body.type }
}

/** Sends a body as fast as it is taken. */
async function sent(asked: ClientRequest, chunks: AsyncIterable<Uint8Array>, { isOver, taken }: { isOver(): boolean; taken(): void }): Promise<void> {
  for await (const chunk of chunks) {
    if (isOver()) return
    if (!asked.write(chunk)) await room(asked)
    if (isOver()) return
    taken()
  }
  asked.end()
}

/** Resolves when more can be sent, or nothing need be sent any more. */
function room(asked: ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      for (const event of ['drain', 'close', 'response'] as const) asked.off(event, done)
      resolve()
    }
    for (const event of ['drain', 'close', 'response'] as const) asked.on(event, done)
  })
}

function tooSlow(timeoutMs: number): CommandError {
  const hint = 'Wait longer with --timeout.'
  return new CommandError(`The node did not answer within ${timeoutMs / 1000} s.`, { exit: 7, hint })
}

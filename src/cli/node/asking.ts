/** One request to a node, and the wait for its answer. */
import { request as requestPlain } from 'node:http'
import type { IncomingMessage, RequestOptions } from 'node:http'
import { CommandError } from '../exit.js'

interface Asked {
  /** How it is sent: in the clear unless given. */
  send?: typeof requestPlain
  options: RequestOptions
  /** JSON. */
  body?: string | undefined
  /** How long to wait for the answer to begin; without limit when undefined. */
  timeoutMs?: number | undefined
}

/**
 * The answer, once it has begun.
 * @param unreachable what is said when none comes
 * @throws CommandError 7 after the time, or what `unreachable` makes
 */
export function requested({ send = requestPlain, options, body, timeoutMs }: Asked, unreachable: (cause: unknown) => CommandError): Promise<IncomingMessage> {
  return new Promise((give, fail) => {
    const sent = body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const asked = send({ ...options, headers: { ...options.headers, ...sent }, agent: false })
    const timer =
      timeoutMs === undefined
        ? undefined
        : setTimeout(() => {
            asked.destroy()
            fail(tooSlow(timeoutMs))
          }, timeoutMs)
    asked.on('response', (answer) => {
      clearTimeout(timer)
      give(answer)
    })
    asked.on('error', (cause) => {
      clearTimeout(timer)
      fail(unreachable(cause))
    })
    asked.end(body)
  })
}

function tooSlow(timeoutMs: number): CommandError {
  const hint = 'Wait longer with --timeout.'
  return new CommandError(`The node did not answer within ${timeoutMs / 1000} s.`, { exit: 7, hint })
}

/** HTTP client for calls to other nodes: no redirects, with limits of time and size. */
import type { ClientRequest, IncomingMessage } from 'node:http'
import { parseJsonObject } from '../../store/model/json.js'
import type { Verb } from '../call/method.js'
import { beginRequest } from './begin.js'
import { PrivateAddress, type Targets } from './targets.js'

const TIMEOUT_MS = 15_000
const MAX_ANSWER_BYTES = 65_536

/** The answer of another node, or the cause of its absence. `isCut`: true when it exceeded the size limit; `date`: its header `Date`. */
export type Answer =
  | { status: number; body: Record<string, unknown>; isCut?: true; date?: string }
  | { status: 0; cause: string }

export interface Outgoing {
  verb: Verb
  url: string
  /** The credential of `Authorization`; the header is absent without it. */
  authorization?: string
  headers?: Readonly<Record<string, string>>
  /** Sent as JSON; a text is JSON already. */
  body?: object | string
  timeoutMs?: number
  maxBytes?: number
  /** Addresses that may be connected to; all by default. Required wherever a client chose the address. */
  targets?: Targets
  signal?: AbortSignal
  /** Certificate authorities to trust, in PEM; those of the system by default. */
  ca?: readonly string[]
  /** Certificate and key that identify this machine, in PEM. */
  identity?: { cert: string; key: string }
  /** Includes the header `Date` in the answer. */
  withDate?: true
}

/** Makes one call. Does not follow redirects. Never rejects. */
export function send(outgoing: Outgoing): Promise<Answer> {
  const { timeoutMs = TIMEOUT_MS } = outgoing
  return new Promise((settle) => {
    const call: { sent?: ClientRequest | undefined } = {}
    const end = (answer: Answer): void => {
      clearTimeout(timer)
      outgoing.signal?.removeEventListener('abort', abandon)
      settle(answer)
      call.sent?.destroy()
    }
    const none = (cause: string): void => end({ status: 0, cause })
    const abandon = (): void => none('not sent')
    const timer = setTimeout(() => none('timeout'), timeoutMs).unref()
    if (outgoing.signal?.aborted === true) return abandon()
    outgoing.signal?.addEventListener('abort', abandon)
    const answered = (response: IncomingMessage): void => {
      const withDate = (answer: Answer): Answer => (outgoing.withDate === undefined || response.headers.date === undefined ? answer : { ...answer, date: response.headers.date })
      read(response, outgoing.maxBytes ?? MAX_ANSWER_BYTES).then((answer) => end(withDate(answer)), (error: unknown) => none(causeOf(error)))
    }
    call.sent = begun(outgoing, answered, none)
  })
}

/** Posts JSON to an address that was not chosen by a client. Never rejects. */
export const postTo = (url: string, authorization: string, body: object, timeoutMs = TIMEOUT_MS): Promise<Answer> =>
  send({ verb: 'POST', url, authorization, body, timeoutMs })

function begun(
  { verb, url, authorization, headers, body, targets, ca, identity }: Outgoing,
  answered: (response: IncomingMessage) => void,
  none: (cause: string) => void,
): ClientRequest | undefined {
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
  const sent = beginRequest(url, {
    verb,
    headers: {
      ...headers,
      ...(authorization === undefined ? {} : { authorization }),
      'user-agent': 'coffer',
      ...(text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
    },
    targets,
    ...(ca === undefined ? {} : { ca }),
    ...(identity === undefined ? {} : { identity }),
    answered,
  })
  if (typeof sent === 'string') return void none(sent)
  sent.on('error', (error) => none(causeOf(error)))
  sent.end(text)
  return sent
}

async function read(response: IncomingMessage, max: number): Promise<Answer> {
  const chunks: Buffer[] = []
  let size = 0
  const status = response.statusCode ?? 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    // Leaving the loop closes the connection.
    if (size > max) return { status, body: {}, isCut: true }
    chunks.push(chunk)
  }
  return { status, body: parseJsonObject(Buffer.concat(chunks).toString('utf8')) ?? {} }
}

/** Returns the cause of a failed call, as a code such as `ECONNREFUSED`: never an address, which may contain a token. */
function causeOf(error: unknown): string {
  if (error instanceof PrivateAddress) return 'private address'
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : 'unreachable'
}

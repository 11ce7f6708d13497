/**
 * HTTP client of the control interface: `POST <method>` with `{ user?, params }` returns the method's result or
 * `{ error }`; `GET <method>?user=…` streams lines of JSON while the node sends messages.
 */
import type { IncomingMessage } from 'node:http'
import { describeFailure } from '../../store/model/failure.js'
import { isJsonObject } from '../../store/model/json.js'
import { CommandError } from '../framework/exit.js'
import { FRAMES_TYPE } from '../../server/base/framesType.js'
import type { StreamedBody } from './httpRequest.js'
import { typedClient, type Authority, type NodeClient, type Transfers } from './nodeClient.js'
import { createListReader } from './listReader.js'

/** Header with the version of the node, in every response of the control interface. */
const VERSION_HEADER = 'coffer-version'

/** One request. `target` is the name of a method, with an optional query. */
interface ControlRequest {
  method: 'GET' | 'POST'
  target: string
  body?: string | StreamedBody
  /** The only accepted media type of a result. */
  accept?: string
}

/** Transport of a control interface, with the hint for connection failures. */
interface ControlTransport {
  kind: NodeClient['kind']
  /**
   * Sends a request.
   * @throws CommandError when there is no response
   */
  request(options: ControlRequest): Promise<IncomingMessage>
  /** Next command when the connection fails. */
  nextCommand: string
}

/** Creates the client of a control interface. */
export function createControlClient({ kind, request, nextCommand }: ControlTransport): NodeClient {
  const post = (method: string, params: unknown, as: Authority): Promise<IncomingMessage> =>
    request({ method: 'POST', target: encodeURIComponent(method), body: JSON.stringify({ ...authorityOf(as), params }) })
  const connectionLost = (cause: unknown): CommandError =>
    new CommandError('The connection to the node was lost before it answered.', { exit: 7, cause, hint: nextCommand })
  /** Version of the node, from its latest response. */
  let version: string | undefined
  /** Open streaming responses. */
  const openStreams = new Set<IncomingMessage>()

  async function assertSuccess(answer: IncomingMessage, method: string): Promise<void> {
    if (answer.statusCode === 200) return
    const { error } = parseObject(await textOf(answer), method)
    throw describeFailure(isJsonObject(error) ? error : {})
  }

  async function* bytesOf(answer: IncomingMessage): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of answer) yield Buffer.from(chunk)
    } catch (cause) {
      throw connectionLost(cause)
    } finally {
      openStreams.delete(answer)
    }
  }

  const transfers: Transfers = {
    async send(method, frames) {
      const answer = await request({ method: 'POST', target: encodeURIComponent(method), body: { type: FRAMES_TYPE, chunks: frames } })
      const result = parseObject(await textOf(answer), method)
      if (isJsonObject(result['error'])) throw describeFailure(result['error'])
      return result
    },
    async receive(method, params, as) {
      const body = JSON.stringify({ ...authorityOf(as), params })
      const answer = await request({ method: 'POST', target: encodeURIComponent(method), body, accept: 'application/octet-stream' })
      await assertSuccess(answer, method)
      openStreams.add(answer)
      return { headers: answer.headers, bytes: bytesOf(answer) }
    },
  }

  async function assertReadableResult(method: string, result: unknown): Promise<void> {
    const { assertReadable } = await import('./otherVersion.js')
    await assertReadable(method, result, version)
  }

  async function* itemTextsOf(answer: IncomingMessage, list: string): AsyncGenerator<string[]> {
    const reader = createListReader(list)
    try {
      for await (const chunk of answer) {
        const texts = reader.feed(Buffer.from(chunk))
        if (texts.length > 0) yield texts
      }
    } catch (cause) {
      throw connectionLost(cause)
    }
    if (!reader.ended()) throw connectionLost(undefined)
  }

  async function textOf(answer: IncomingMessage): Promise<string> {
    try {
      const chunks: Buffer[] = []
      for await (const chunk of answer) chunks.push(Buffer.from(chunk))
      return Buffer.concat(chunks).toString('utf8')
    } catch (cause) {
      throw connectionLost(cause)
    }
  }

  return typedClient({
    kind,
    call: async (method: string, params: unknown, as: Authority): Promise<Record<string, unknown>> => {
      const answer = await post(method, params, as)
      version = String(answer.headers[VERSION_HEADER] ?? '') || undefined
      const result = parseObject(await textOf(answer), method)
      if (isJsonObject(result['error'])) throw describeFailure(result['error'])
      return result
    },
    async *texts(method: string, params: unknown, as: Authority, list: string): AsyncGenerator<string[]> {
      const answer = await post(method, params, as)
      await assertSuccess(answer, method)
      yield* itemTextsOf(answer, list)
    },
    async *lines(method: string, params: Readonly<Record<string, string>>, as: Authority): AsyncGenerator<unknown> {
      const query = new URLSearchParams({ ...params, ...authorityOf(as) })
      const answer = await request({ method: 'GET', target: `${encodeURIComponent(method)}${query.size === 0 ? '' : `?${query}`}` })
      await assertSuccess(answer, method)
      openStreams.add(answer)
      try {
        yield* linesOf(answer, method)
      } finally {
        openStreams.delete(answer)
      }
    },
    ...(kind === 'remote' ? { transfers } : {}),
    close: async () => {
      for (const answer of openStreams) answer.destroy()
    },
  }, kind === 'remote' ? assertReadableResult : undefined)
}

async function* linesOf(answer: IncomingMessage, method: string): AsyncGenerator<unknown> {
  let rest = ''
  try {
    for await (const chunk of answer.setEncoding('utf8')) {
      const lines = `${rest}${String(chunk)}`.split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) if (line.trim() !== '') yield parseObject(line, method)
    }
  } catch (cause) {
    throw streamClosed(cause)
  }
}

function authorityOf({ user, access }: Authority): Record<string, string> {
  return { ...(user === undefined ? {} : { user }), ...(access === undefined ? {} : { access }) }
}

function parseObject(text: string, method: string): Record<string, unknown> {
  let value: unknown
  try {
    value = text === '' ? {} : JSON.parse(text)
  } catch (cause) {
    const hint = 'See the log, on the machine of the node: coffer logs'
    throw new CommandError(`The node answered ${method} with something that is not JSON.`, { cause, hint })
  }
  if (!isJsonObject(value)) throw new CommandError(`The node answered ${method} with something that is not an object.`)
  return value
}

function streamClosed(cause: unknown): CommandError {
  const hint = 'A program that follows the node must read without pauses. See: coffer status'
  return new CommandError('The node closed the stream: it has stopped, or too many messages were left unread.', { exit: 7, cause, hint })
}

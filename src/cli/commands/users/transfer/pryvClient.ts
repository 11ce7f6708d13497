/**
 * Client for reading from another Pryv API server with an access token; retries temporary errors, and explains
 * permanent ones.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseJsonObject } from '../../../../store/model/json.js'
import { CommandError } from '../../../framework/exit.js'
import { recordOf, textOf, type Record_ } from '../../../client/answer.js'

/** Parts of an API endpoint. */
interface Endpoint {
  /** Without the token, ending in a slash. */
  base: string
  token: string
}

/**
 * Parses an API endpoint.
 * @throws CommandError 2 when a text is not an endpoint with a token
 */
export function readEndpoint(text: string): Endpoint {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined
  if (url === undefined || !['http:', 'https:'].includes(url.protocol) || url.username === '') {
    throw new CommandError('This is not an API endpoint with a token.', { exit: 2, hint: 'It looks like https://<token>@ana.example.org/' })
  }
  const token = decodeURIComponent(url.username)
  url.username = ''
  url.password = ''
  url.search = ''
  url.hash = ''
  return { base: url.href.endsWith('/') ? url.href : `${url.href}/`, token }
}

export interface Remote {
  readonly base: string
  /**
   * Returns the JSON object at a path.
   * @throws CommandError with the reason
   */
  get(path: string, query?: Readonly<Record<string, string>>): Promise<Record_>
  /** Returns the bytes at a path; the caller must read them to the end. */
  bytes(path: string): Promise<AsyncIterable<Uint8Array>>
}

interface RemoteOptions {
  /** Receives a message before each retry. */
  note(text: string): void
  /** Delay before the first retry in milliseconds; it doubles. */
  pauseMs?: number
}

const MAX_TRIES = 7
const MAX_PAUSE_MS = 60_000
const TIMEOUT_MS = 120_000
const MAX_ANSWER_BYTES = 512 * 1024 * 1024

export function createRemote({ base, token }: Endpoint, { note, pauseMs = 1000 }: RemoteOptions): Remote {
  async function request(path: string): Promise<Response> {
    for (let tries = 1; ; tries++) {
      const answer = await fetch(new URL(path, base), {
        headers: { authorization: token },
        // A redirect would send the token to another host.
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      }).catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))))
      if (!(answer instanceof Error) && answer.status !== 429 && answer.status < 500) return answer
      const why = answer instanceof Error ? causeOf(answer) : `HTTP ${answer.status}`
      if (tries === MAX_TRIES) throw new CommandError(`Cannot read from ${base}: ${why}.`, { exit: 7, hint: 'Run the same command again to resume.' })
      const retryAfterMs = answer instanceof Error ? 0 : Number(answer.headers.get('retry-after') ?? 0) * 1000
      const pause = Math.min(MAX_PAUSE_MS, Math.max(pauseMs * 2 ** (tries - 1), Number.isFinite(retryAfterMs) ? retryAfterMs : 0))
      if (!(answer instanceof Error)) await answer.body?.cancel()
      note(`${base}: ${why}; trying again in ${Math.ceil(pause / 1000)} s`)
      await sleep(pause)
    }
  }

  async function requestOk(path: string): Promise<Response> {
    const answer = await request(path)
    if (answer.ok) return answer
    throw responseError(base, path, answer.status, await answer.text().catch(() => ''))
  }

  return {
    base,
    async get(path, query = {}) {
      const params = new URLSearchParams(query)
      const full = params.size === 0 ? path : `${path}?${params}`
      for (let tries = 1; ; tries++) {
        try {
          return parseObject(base, await textOfAnswer(await requestOk(full)))
        } catch (error) {
          // Repeat a request whose answer was cut off.
          if (error instanceof CommandError || tries === MAX_TRIES) throw error
          note(`${base}: the answer was cut off; trying again`)
          await sleep(Math.min(MAX_PAUSE_MS, pauseMs * 2 ** (tries - 1)))
        }
      }
    },
    async bytes(path) {
      const { body } = await requestOk(path)
      return body ?? new ReadableStream<Uint8Array>({ start: (control) => control.close() })
    },
  }
}

async function textOfAnswer(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of answer.body ?? []) {
    length += chunk.length
    if (length > MAX_ANSWER_BYTES) throw new CommandError('An answer of the server is too large.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parseObject(base: string, text: string): Record_ {
  const value = parseJsonObject(text)
  if (value !== undefined) return value
  throw new CommandError(`${base} does not answer like a Pryv API server.`, { hint: 'Check that the endpoint is complete and contains the user name.' })
}

function responseError(base: string, path: string, status: number, text: string): CommandError {
  let errorBody: Record_ = {}
  try {
    errorBody = recordOf(recordOf(JSON.parse(text))['error'])
  } catch {
    // The answer has no error of the Pryv API.
  }
  const message = textOf(errorBody['message'])
  const words = message === '' ? `HTTP ${status}` : message
  if (status === 401 || textOf(errorBody['id']) === 'invalid-access-token') {
    return new CommandError(`${base} rejected the token: ${words}`, { exit: 4, hint: 'Create a new access there and pass its endpoint.' })
  }
  if (status === 403) return new CommandError(`The token may not read ${path.split('?')[0] ?? ''} of ${base}: ${words}`, { exit: 4 })
  if (status === 404) return new CommandError(`${base} has no ${path.split('?')[0] ?? ''}: ${words}`, { exit: 5 })
  return new CommandError(`${base} refused the request: ${words}`)
}

function causeOf(error: Error): string {
  const { cause } = error
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined
  if (error.name === 'TimeoutError') return 'it did not answer in time'
  return code ?? (cause instanceof Error ? cause.message : error.message)
}

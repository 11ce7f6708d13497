/** Another server of the interface, read with the token of an access: patient with what passes, clear about what does not. */
import { setTimeout as sleep } from 'node:timers/promises'
import { CommandError } from '../framework/exit.js'
import { recordOf, textOf, type Record_ } from '../client/answer.js'

/** An endpoint in its parts. */
export interface Endpoint {
  /** Without the token, ending in a slash. */
  base: string
  token: string
}

/** @throws CommandError 2 when a text is no endpoint with a token */
export function readEndpoint(text: string): Endpoint {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined
  if (url === undefined || !['http:', 'https:'].includes(url.protocol) || url.username === '') {
    throw new CommandError('That is no API endpoint with a token.', { exit: 2, hint: 'It looks like https://<token>@ana.example.org/' })
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
  /** The object that a path answers. @throws CommandError saying whose fault it is */
  get(path: string, query?: Readonly<Record<string, string>>): Promise<Record_>
  /** The bytes of a path; to be read to their end. */
  bytes(path: string): Promise<AsyncIterable<Uint8Array>>
}

export interface RemoteOptions {
  /** Told before it waits for another try. */
  note(text: string): void
  /** How long to wait before the first of the other tries; it doubles. */
  pauseMs?: number
}

const MAX_TRIES = 7
const MAX_PAUSE_MS = 60_000
const ANSWER_MS = 120_000
const MAX_ANSWER_BYTES = 512 * 1024 * 1024

export function createRemote({ base, token }: Endpoint, { note, pauseMs = 1000 }: RemoteOptions): Remote {
  async function ask(path: string): Promise<Response> {
    for (let tries = 1; ; tries++) {
      const answer = await fetch(new URL(path, base), {
        headers: { authorization: token },
        // Whoever redirects would get the token.
        redirect: 'error',
        signal: AbortSignal.timeout(ANSWER_MS),
      }).catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))))
      if (!(answer instanceof Error) && answer.status !== 429 && answer.status < 500) return answer
      const why = answer instanceof Error ? causeOf(answer) : `it answers ${answer.status}`
      if (tries === MAX_TRIES) throw new CommandError(`${base} cannot be read: ${why}.`, { exit: 7, hint: 'Run the same command again: it goes on where it was.' })
      const options = answer instanceof Error ? 0 : Number(answer.headers.get('retry-after') ?? 0) * 1000
      const pause = Math.min(MAX_PAUSE_MS, Math.max(pauseMs * 2 ** (tries - 1), Number.isFinite(options) ? options : 0))
      if (!(answer instanceof Error)) await answer.body?.cancel()
      note(`${base}: ${why}; trying again in ${Math.ceil(pause / 1000)} s`)
      await sleep(pause)
    }
  }

  async function good(path: string): Promise<Response> {
    const answer = await ask(path)
    if (answer.ok) return answer
    throw refusalOf(base, path, answer.status, await answer.text().catch(() => ''))
  }

  return {
    base,
    async get(path, query = {}) {
      const params = new URLSearchParams(query)
      const full = params.size === 0 ? path : `${path}?${params}`
      for (let tries = 1; ; tries++) {
        try {
          return parsed(base, await textOfAnswer(await good(full)))
        } catch (error) {
          // An answer that broke off is asked for again.
          if (error instanceof CommandError || tries === MAX_TRIES) throw error
          note(`${base}: the answer broke off; trying again`)
          await sleep(Math.min(MAX_PAUSE_MS, pauseMs * 2 ** (tries - 1)))
        }
      }
    },
    async bytes(path) {
      const { body } = await good(path)
      return body ?? new ReadableStream<Uint8Array>({ start: (control) => control.close() })
    },
  }
}

async function textOfAnswer(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of answer.body ?? []) {
    length += chunk.length
    if (length > MAX_ANSWER_BYTES) throw new CommandError('An answer of the server is too long.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parsed(base: string, text: string): Record_ {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return recordOf(value)
  } catch {
    // Told below.
  }
  throw new CommandError(`${base} does not answer as a server of this interface does.`, { hint: 'Is the whole endpoint there, with the user name in it?' })
}

function refusalOf(base: string, path: string, status: number, text: string): CommandError {
  let described: Record_ = {}
  try {
    described = recordOf(recordOf(JSON.parse(text))['error'])
  } catch {
    // Whatever answered does not speak of errors as this interface does.
  }
  const message = textOf(described['message'])
  const words = message === '' ? `it answers ${status}` : message
  if (status === 401 || textOf(described['id']) === 'invalid-access-token') {
    return new CommandError(`${base} does not take the token: ${words}`, { exit: 4, hint: 'Make a new access there, and give its endpoint.' })
  }
  if (status === 403) return new CommandError(`The token may not read ${path.split('?')[0] ?? ''} of ${base}: ${words}`, { exit: 4 })
  if (status === 404) return new CommandError(`${base} knows nothing of ${path.split('?')[0] ?? ''}: ${words}`, { exit: 5 })
  return new CommandError(`${base} refuses: ${words}`)
}

function causeOf(error: Error): string {
  const { cause } = error
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined
  if (error.name === 'TimeoutError') return 'it did not answer in time'
  return code ?? (cause instanceof Error ? cause.message : error.message)
}

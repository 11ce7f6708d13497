/** HTTP POST to a webhook, without redirects, and with limits on time and response size (docs/interface/webhooks.md#delivery). */
import type { IncomingMessage } from 'node:http'
import type { Config } from '../config/config.js'
import type { CallError } from './feed.js'
import { beginRequest, type Resolve } from '../httpClient/begin.js'
import { createTargets, PrivateAddress, type Targets } from '../httpClient/targets.js'

export interface Outcome {
  /** HTTP status of the response; 0 when there was none. */
  status: number
  error?: CallError
}

/** Sends messages to a URL; `signal` aborts the call. Never rejects. */
export type Post = (url: string, messages: readonly string[], signal?: AbortSignal) => Promise<Outcome>

const MAX_ANSWER_BYTES = 4096
const NOT_SENT: Outcome = { status: 0, error: 'not sent' }

/**
 * Creates a sender with the settings. `meta` returns the meta member of responses as JSON text; `resolve` resolves host names.
 */
export function createPost(config: Config, meta: () => string, resolve?: Resolve): Post {
  const targets = createTargets(config)
  const timeoutMs = config.get('webhooks.requestTimeoutMs')
  return (url, messages, signal) => {
    const body = `{"messages":${JSON.stringify(messages)},"meta":${meta()}}`
    return exchange(targets, resolve, url, body, timeoutMs, signal).catch(() => NOT_SENT)
  }
}

function exchange(
  targets: Targets,
  resolve: Resolve | undefined,
  url: string,
  body: string,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<Outcome> {
  if (signal?.aborted === true) return Promise.resolve(NOT_SENT)
  return new Promise((settle) => {
    let status = 0
    const end = (error?: CallError): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abandon)
      sent.destroy()
      if (status === 0) settle({ status, error: error ?? 'closed' })
      else settle(status >= 300 && status <= 399 ? { status, error: 'redirect' } : { status })
    }
    const abandon = (): void => end('not sent')
    const answered = (response: IncomingMessage): void => {
      status = response.statusCode ?? 0
      let size = 0
      response.on('data', (chunk: Buffer) => {
        size += chunk.length
        if (size > MAX_ANSWER_BYTES) end()
      })
      // The received status counts, even if the rest does not arrive.
      response.on('close', () => end())
      response.on('error', () => end())
    }
    const begun = beginRequest(url, {
      verb: 'POST',
      headers: { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body), 'User-Agent': 'coffer' },
      ...credentialsOf(url),
      targets,
      resolve,
      answered,
    })
    if (begun === 'private address') return settle({ status: 0, error: begun })
    if (begun === 'invalid address') return settle(NOT_SENT)
    const sent = begun
    sent.on('error', (error) => end(reasonOf(error)))
    sent.on('close', () => end())
    const timer = setTimeout(() => end('timeout'), timeoutMs).unref()
    signal?.addEventListener('abort', abandon)
    sent.end(body)
  })
}

/** Returns the user info of a URL as Basic authentication, as in other HTTP clients. */
function credentialsOf(url: string): { auth?: string } {
  if (!URL.canParse(url)) return {}
  const { username, password } = new URL(url)
  if (username === '' && password === '') return {}
  return { auth: `${decoded(username)}:${decoded(password)}` }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const REASONS: Record<string, CallError> = {
  ECONNREFUSED: 'refused',
  ECONNRESET: 'closed',
  EPIPE: 'closed',
  ENOTFOUND: 'unknown host',
  EAI_AGAIN: 'unknown host',
  ETIMEDOUT: 'timeout',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
}

function reasonOf(error: Error & { code?: string; errors?: unknown }): CallError {
  if (error instanceof PrivateAddress) return 'private address'
  // After attempts at several addresses, reports the first error.
  const [first] = Array.isArray(error.errors) ? (error.errors as unknown[]) : []
  const code = error.code ?? (first instanceof Error && 'code' in first ? String(first.code) : '')
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code)) return 'certificate'
  return REASONS[code] ?? 'closed'
}

/** Calls to other cores: a POST that follows nothing, waits for so long, and reads so much. */
import { z } from 'zod'
import type { Answer } from './delivery.js'

const TIMEOUT_MS = 15_000
const MOST_ANSWER_BYTES = 65_536

/** The address of an account and the token in front of it; undefined for what is no API endpoint with a token. */
export function endpointParts(endpoint: string): { base: string; token: string } | undefined {
  if (!URL.canParse(endpoint)) return undefined
  const url = new URL(endpoint)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined
  if (url.username === '' || url.search !== '' || url.hash !== '') return undefined
  let token: string
  try {
    token = decodeURIComponent(url.username)
  } catch {
    return undefined
  }
  const path = url.pathname.endsWith('/') ? url.pathname : `${url.pathname}/`
  return { base: url.origin + path, token }
}

/** An API endpoint with a token, as the other side gives it. */
export const Endpoint = z
  .string()
  .max(2048)
  .refine((text) => endpointParts(text) !== undefined, { error: 'This is no API endpoint with a token.' })

/** Posts JSON with a credential in `Authorization`. Never rejects. */
export async function postTo(url: string, authorization: string, body: object, timeoutMs = TIMEOUT_MS): Promise<Answer> {
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      redirect: 'manual',
      signal,
    })
    return { status: response.status, body: membersOf(await boundedText(response)) }
  } catch (error) {
    return { status: 0, cause: signal.aborted ? 'timeout' : causeOf(error) }
  }
}

async function boundedText(response: Response): Promise<string> {
  if (response.body === null) return ''
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    size += chunk.length
    // Leaving the loop closes the connection.
    if (size > MOST_ANSWER_BYTES) return ''
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function membersOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
  } catch {
    return {}
  }
}

/** Why nobody answered, as a code such as `ECONNREFUSED`: never an address, which may hold a token. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined
  return typeof code === 'string' ? code : 'unreachable'
}

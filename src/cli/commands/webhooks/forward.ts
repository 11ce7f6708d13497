/** Forwarding of webhook calls to a second URL, for development. */
import { textOf } from '../../client/answer.js'
import type { Record_ } from '../../client/answer.js'

const TIMEOUT_MS = 10_000
/** Maximum length of the answer text that is displayed. */
const MAX_BYTES = 2000

/** Result of a forwarded call. */
interface ForwardResult {
  event: 'forwarded'
  webhookId: string
  url: string
  /** 0 when there was no answer. */
  status: number
  /** Start of the response body. */
  body?: string
  /** Error, if there was no answer. */
  error?: string
}

/** Sends the messages of a call to `url` as the node does, without following redirects. */
export async function forwardCall(url: string, { webhookId, messages, meta }: Record_): Promise<ForwardResult> {
  const call = { event: 'forwarded', webhookId: textOf(webhookId), url } as const
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ messages, meta }),
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const body = await beginningOf(answer)
    return { ...call, status: answer.status, ...(body === '' ? {} : { body }) }
  } catch (error) {
    return { ...call, status: 0, error: reasonOf(error) }
  }
}

/** Formats a forwarded call: `  → http://127.0.0.1:8080/changes  200  thank you`. */
export function forwardedLine({ url, status, body = '', error }: ForwardResult): string {
  const line = body.split('\n')[0] ?? ''
  const words = error === undefined ? String(status) : `no answer: ${error}`
  return ['  →', url, words, ...(line === '' ? [] : [line.slice(0, 80)])].join('  ')
}

async function beginningOf(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of answer.body ?? []) {
    const bytes = chunk as Uint8Array
    chunks.push(bytes)
    size += bytes.length
    if (size >= MAX_BYTES) break
  }
  return Buffer.concat(chunks).subarray(0, MAX_BYTES).toString('utf8').trimEnd()
}

/** Returns the network error; fetch itself only reports that it failed. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return `no answer within ${TIMEOUT_MS / 1000} s`
  return error.cause instanceof Error ? textOf('code' in error.cause ? error.cause.code : error.cause.message) : error.message
}

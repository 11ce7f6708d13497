/** Requests to the operator's text message service (docs/interface/mfa.md#text-messages). */
import { errorMessage } from '../../../store/model/errorMessage.js'
import { Failure } from '../../../store/model/failure.js'
import { bodyKind, filledTemplate, type SmsEndpoint } from '../../config/settings/mfa.js'
import type { Context } from '../../call/context.js'
import { shortBody } from '../../httpClient/shortBody.js'
import { wrongContent } from './refusals.js'

const TIMEOUT_MS = 10_000
const MAX_ANSWER_BYTES = 65_536

interface SmsAnswer {
  /** True for a 2xx status. */
  ok: boolean
  text: string
}

const inJson = (value: string): string => JSON.stringify(value).slice(1, -1)

/**
 * Calls the service with `values` substituted into the request.
 * @throws Failure `invalid-operation` on timeout, redirect, or an error of the service (5xx)
 */
export async function callSmsService(
  node: Context,
  endpoint: SmsEndpoint,
  values: Readonly<Record<string, string>>,
): Promise<SmsAnswer> {
  const { method, body } = endpoint
  const headers = headersOf(endpoint, values)
  const escape = bodyKind(endpoint.headers) === 'form' ? encodeURIComponent : inJson
  const url = filledTemplate(endpoint.url, values, encodeURIComponent)
  try {
    const response = await fetch(url, {
      method,
      headers,
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(method === 'GET' || body === undefined ? {} : { body: filledTemplate(body, values, escape) }),
    })
    const text = (await shortBody(response, MAX_ANSWER_BYTES)).toString('utf8')
    if (response.status < 500) return { ok: response.ok, text }
    throw new Error(`status ${response.status}`)
  } catch (error) {
    throw serviceFailed(node, endpoint, error)
  }
}

/** Returns the failure for an error of the service; details are only logged. */
export function serviceFailed(node: Context, { url }: SmsEndpoint, error: unknown): Failure {
  // Logs only the host: path and query may contain keys or the code.
  const { host } = new URL(url)
  node.log.warn('the text message service failed', { host, error: errorMessage(error) })
  return new Failure('invalid-operation', 'The text message service failed; try again later.', {
    id: 'mfa-sms-provider-error',
  })
}

function headersOf({ headers, body, method }: SmsEndpoint, values: Readonly<Record<string, string>>): Record<string, string> {
  const filled: Record<string, string> = {}
  if (method === 'POST' && body !== undefined) filled['content-type'] = 'application/json'
  for (const [name, text] of Object.entries(headers)) {
    const value = filledTemplate(text, values, (each) => each)
    if (!/^[\x20-\x7e]*$/.test(value)) throw wrongContent('A value cannot be sent in a header.')
    filled[name.toLowerCase()] = value
  }
  return filled
}

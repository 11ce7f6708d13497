/**
 * Calls of a new core to the platform before it has joined: compares the clocks, and sends the acknowledgement. Trusts the
 * certificate authorities of the system and that of the platform, which is in the bundle.
 */
import type { IncomingMessage } from 'node:http'
import { rootCertificates } from 'node:tls'
import { parseJsonObject } from '../../../store/model/json.js'
import { beginRequest } from '../../httpClient/begin.js'
import { responseText } from '../../httpClient/responseText.js'
import type { PendingAck } from './platformKey.js'

/** Maximum difference between the clocks of cores, in seconds. */
export const MAX_CLOCK_DIFFERENCE = 30

const TIMEOUT_MS = 15_000
const MAX_ANSWER_BYTES = 1024 * 1024

/** Answer of a core, or the cause of its absence. */
type CoreAnswer = { status: number; body: Record<string, unknown>; date?: string } | { cause: string }

interface Request {
  verb: 'GET' | 'POST'
  url: string
  caPem: string
  body?: object
}

/** Makes one call. Does not follow redirects. Never rejects. */
function call({ verb, url, caPem, body }: Request): Promise<CoreAnswer> {
  return new Promise((settle) => {
    const text = body === undefined ? undefined : JSON.stringify(body)
    const none = (cause: string): void => settle({ cause })
    const sent = beginRequest(url, {
      verb,
      headers: { 'user-agent': 'coffer', ...(text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }) },
      ca: [...rootCertificates, caPem],
      answered: (response) => void read(response).then(settle, () => none('incomplete answer')),
    })
    if (typeof sent === 'string') return none(sent)
    sent.setTimeout(TIMEOUT_MS, () => {
      none('timeout')
      sent.destroy()
    })
    sent.on('error', (error) => none('code' in error && typeof error.code === 'string' ? error.code : 'unreachable'))
    sent.end(text)
  })
}

async function read(response: IncomingMessage): Promise<CoreAnswer> {
  const text = await responseText(response, MAX_ANSWER_BYTES)
  const { date } = response.headers
  return { status: response.statusCode ?? 0, body: parseJsonObject(text) ?? {}, ...(date === undefined ? {} : { date }) }
}

/** Result of a comparison of clocks: seconds by which this machine is ahead, or why they could not be compared. */
type ClockComparison = { ahead: number } | { problem: string }

/**
 * Compares the clock of this machine with that of the core that takes acknowledgements, by the header `Date` of an answer. The
 * token is not sent.
 * @param now returns milliseconds since 1970
 */
export async function compareClocks({ ackUrl, caPem }: Pick<PendingAck, 'ackUrl' | 'caPem'>, now: () => number): Promise<ClockComparison> {
  const before = now()
  const answer = await call({ verb: 'GET', url: new URL('/service/info', ackUrl).href, caPem })
  const after = now()
  if ('cause' in answer) return { problem: answer.cause }
  const date = Date.parse(answer.date ?? '')
  if (Number.isNaN(date)) return { problem: 'it states no time' }
  // The header is in whole seconds, rounded down: half a second is added.
  return { ahead: ((before + after) / 2 - (date + 500)) / 1000 }
}

/** Sends the acknowledgement; repeating it after a lost answer is refused as already used. Never rejects. */
export const sendAck = ({ ackUrl, coreId, token, caPem }: PendingAck, tlsFingerprint?: string): Promise<CoreAnswer> =>
  call({ verb: 'POST', url: ackUrl, caPem, body: { coreId, token: token.reveal(), ...(tlsFingerprint === undefined ? {} : { tlsFingerprint }) } })

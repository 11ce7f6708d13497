/** Codes by text message, created by the node or by the operator's service (docs/interface/mfa.md#text-messages). */
import { randomInt } from 'node:crypto'
import * as z from 'zod'
import { secretDigest } from '../../base/secretDigest.js'
import type { Account } from '../../../store/engine/account.js'
import { constantTimeEqual } from '../../../store/model/constantTimeEqual.js'
import { checkInput } from '../../../store/model/validation.js'
import { tooMany } from '../../auth/attempts.js'
import type { Context } from '../../call/context.js'
import { smsEndpoint, smsMode } from './offer.js'
import { wrongContent } from './refusals.js'
import { countSend } from './sendLimits.js'
import type { PendingSession, SentCode } from './sessions.js'
import { callSmsService, serviceFailed } from './smsRequest.js'

type SmsContent = Record<string, string>

const Phone = z.string().regex(/^\+[1-9][0-9]{6,14}$/)
const MAX_CONTENT_BYTES = 256

/**
 * Parses the content of an enrolment by text message.
 * @throws Failure `invalid-parameters-format` with `data.id` `invalid-mfa-content`
 */
export function readSmsContent(node: Context, params: Readonly<Record<string, unknown>>): SmsContent {
  const known = ['phone', ...node.config.get('services.mfa.methods.sms.contentKeys')]
  const content: SmsContent = {}
  for (const [key, value] of Object.entries(params)) {
    if (!known.includes(key)) throw wrongContent(`Unexpected parameter "${key.slice(0, 64)}".`)
    if (typeof value !== 'string') throw wrongContent(`"${key}" must be a string.`)
    // A URL path segment of dots refers to another path.
    if (/^\.+$/.test(value)) throw wrongContent(`"${key}" must not consist of dots.`)
    content[key] = value
  }
  if (!checkInput(Phone, content['phone']).success) throw wrongContent('phone must be a phone number such as +41791234567.')
  if (Buffer.byteLength(JSON.stringify(content)) > MAX_CONTENT_BYTES) throw wrongContent('The content is too long.')
  return content
}

/**
 * Sends a code to a phone.
 * @throws Failure `too-many-attempts` above the limits; `invalid-operation` when the service fails
 */
export async function sendCode(node: Context, account: Account, content: SmsContent): Promise<SentCode> {
  await countSend(node, account, content['phone'] ?? '')
  const { config } = node
  const at = node.clock.now()
  if (smsMode(config) === 'single') {
    const digits = config.get('services.mfa.methods.sms.codeLength')
    const code = String(randomInt(10 ** digits)).padStart(digits, '0')
    await send(node, 'single', { ...content, code })
    return { at, digest: secretDigest(code) }
  }
  await send(node, 'challenge', content)
  return { at }
}

async function send(node: Context, name: 'single' | 'challenge', values: SmsContent): Promise<void> {
  const endpoint = smsEndpoint(node.config, name)
  const { ok } = await callSmsService(node, endpoint, values)
  if (!ok) throw serviceFailed(node, endpoint, 'the message was rejected')
}

/** Sends another code for a session. It replaces the earlier code, which stays valid if the service fails. */
export async function sendAgain(node: Context, account: Account, session: PendingSession, content: SmsContent): Promise<void> {
  const now = node.clock.now()
  const interval = node.config.get('services.mfa.methods.sms.sendLimits.minIntervalSeconds')
  const wait = (session.requestedAt ?? 0) + interval - now
  if (interval > 0 && wait > 0) throw tooMany(wait, 'A text message was sent a moment ago; wait before the next one.')
  // Recorded before any await, so that only one of several simultaneous calls sends.
  session.requestedAt = now
  session.sent = await sendCode(node, account, content)
}

/** Checks whether a code is the one sent for a session. */
export async function isSentCode(node: Context, { sent }: PendingSession, content: SmsContent, code: string): Promise<boolean> {
  if (sent === undefined) return false
  if (smsMode(node.config) === 'challenge-verify') return isConfirmed(node, { ...content, code })
  const ends = sent.at + node.config.get('services.mfa.methods.sms.codeTtlSeconds')
  if (sent.digest === undefined || ends <= node.clock.now()) return false
  return constantTimeEqual(secretDigest(code), sent.digest)
}

/** Checks a code with the service: by the configured value in its response, or else by an empty response. */
async function isConfirmed(node: Context, values: SmsContent): Promise<boolean> {
  const endpoint = smsEndpoint(node.config, 'verify')
  const { ok, text } = await callSmsService(node, endpoint, values)
  if (!ok) return false
  const { success } = endpoint
  if (success === undefined) return text === ''
  const found = valueAt(text, success.jsonPath)
  // Compared as JSON, since `equals` may be any JSON value.
  return found !== undefined && JSON.stringify(found) === JSON.stringify(success.equals)
}

/** Returns the value at a path such as `$.data.status` or `results.0.ok` of a JSON text; undefined when there is none. */
function valueAt(text: string, path: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  for (const name of path.replace(/^\$\.?/, '').split('.')) {
    if (name === '') continue
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Record<string, unknown>)[name]
  }
  return value
}

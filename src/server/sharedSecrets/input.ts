/** What a client sends to make a secret (specification, "Shared secrets"; consent supplement 5.4). */
import * as z from 'zod'
import { Failure } from '../../store/model/failure.js'
import type { SharedSecret } from '../../store/model/sharedSecret.js'
import { isWebAddress } from '../../store/model/webAddress.js'

/** What is asked for, for documents: bodies are judged by `readNewSecret`, in the order of the specification. */
export const NewSecretBody = z.object({
  ttl: z.number().positive().describe('Seconds for which the secret can be redeemed; more than 0.'),
  title: z.string().describe('Title; not empty.'),
  onConsumed: z.object({
    message: z.string().min(1).describe('Message for people.'),
    returnUrl: z.string().optional().describe('Address that they can go to; http or https.'),
  }).describe('What callers read once the secret is gone.'),
  secret: z.unknown().describe('The value to hand over: any JSON but null.'),
  keyHash: z.string().regex(/^[0-9a-f]{64}$/).optional().describe('SHA-256 in hexadecimal of the random part of a key that the client made; default: the node makes the key.'),
  signature: z.object({
    type: z.enum(['secret', 'hmac-sha256']).describe('secret: the value itself is shown; hmac-sha256: a proof made with it.'),
    value: z.string().min(1).describe('The second secret.'),
  }).optional().describe('Second secret that redeeming requires; default: none.'),
})

/** A secret that is asked for. */
export interface NewSecret extends Pick<SharedSecret, 'title' | 'onConsumed' | 'signatureType'> {
  /** In seconds. */
  ttl: number
  secret: unknown
  /** Of a half that the client made; absent: the node makes one. */
  keyHash?: string
  signatureValue?: string
}

export interface SecretBounds {
  /** In seconds. */
  maxTtl: number
  /** Of the value as JSON text, in UTF-8. */
  maxSizeBytes: number
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const members = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {})
const isFilled = (value: unknown): value is string => typeof value === 'string' && value !== ''

const invalid = (id: string, message: string): Failure => new Failure('invalid-parameters-format', message, { id })

/**
 * Reads what a client asks for; the first thing that is wrong refuses it.
 * @throws Failure `invalid-parameters-format`, its name in `data.id`
 */
export function readNewSecret(body: unknown, { maxTtl, maxSizeBytes }: SecretBounds): NewSecret {
  const { ttl, title, onConsumed, secret, keyHash, signature } = members(body)
  if (typeof ttl !== 'number' || !Number.isFinite(ttl) || ttl <= 0) {
    throw invalid('shared-secret-invalid-ttl', 'ttl: say for how many seconds the secret can be redeemed, more than 0.')
  }
  if (ttl > maxTtl) throw invalid('shared-secret-ttl-too-long', `ttl: at most ${maxTtl} seconds.`)
  if (typeof title !== 'string' || title.trim() === '') {
    throw invalid('shared-secret-invalid-title', 'title: give the secret a name.')
  }
  const { message, returnUrl } = members(onConsumed)
  if (!isFilled(message)) {
    throw invalid('shared-secret-invalid-on-consumed', 'onConsumed: say in its message what those read who come too late.')
  }
  if (returnUrl !== undefined && returnUrl !== null && !isReturnUrl(returnUrl)) {
    throw invalid('shared-secret-invalid-return-url', 'onConsumed.returnUrl: an address that begins with http:// or https://.')
  }
  if (secret === undefined || secret === null) {
    throw invalid('shared-secret-missing-secret', 'secret: there is nothing to hand over.')
  }
  if (Buffer.byteLength(JSON.stringify(secret)) > maxSizeBytes) {
    throw invalid('shared-secret-too-large', `secret: at most ${maxSizeBytes} bytes as JSON.`)
  }
  return {
    ttl,
    title,
    onConsumed: isReturnUrl(returnUrl) ? { message, returnUrl } : { message },
    secret,
    ...hashIn(keyHash),
    ...proofIn(signature),
  }
}

const isReturnUrl = (value: unknown): value is string => typeof value === 'string' && isWebAddress(value)

function hashIn(keyHash: unknown): Pick<NewSecret, 'keyHash'> {
  if (keyHash === undefined || keyHash === null) return {}
  if (typeof keyHash === 'string' && /^[0-9a-f]{64}$/.test(keyHash)) return { keyHash }
  throw invalid('shared-secret-invalid-key-hash', 'keyHash: the SHA-256 of the random half, 64 lower-case hexadecimal digits.')
}

function proofIn(signature: unknown): Pick<NewSecret, 'signatureType' | 'signatureValue'> {
  if (signature === undefined || signature === null) return {}
  const { type, value } = members(signature)
  if ((type !== 'secret' && type !== 'hmac-sha256') || !isFilled(value)) {
    throw invalid('shared-secret-invalid-signature', 'signature: a type, secret or hmac-sha256, and a value.')
  }
  return { signatureType: type, signatureValue: value }
}

/** Keys of encrypted events as people keep them (consent and OAuth supplement, 3.2). */
import { createECDH, createPrivateKey, createPublicKey } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { recordOf } from '../client/answer.js'
import type { Method } from './methods.js'

/** A key that the method does not take: `why` completes "The key …". */
export interface Unfit {
  why: string
}

const AES_BYTES = 32
const notAes = { why: 'is not 32 bytes, raw or in Base64' }
const notPrivate = { why: 'is not a private key of P-256: a JWK with d, or PKCS#8 as PEM, as bytes or in Base64' }
const publicOnly = { why: 'is a public key; what was encrypted for it opens with the private one' }
const otherCurve = { why: 'is on another curve than P-256' }
const isLocked = { why: 'is protected by a passphrase; take that off first, as openssl pkcs8 does' }

/** The bytes of standard padded Base64, line breaks around it left out; undefined for anything else. */
export function fromBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}

/** What `openBytes` takes, from the bytes of a key as it is kept. */
export function readKey(method: Method, stored: Buffer): Buffer | Unfit {
  if (method === 'aes-256-gcm') return aesKey(stored)
  if (method === 'ecies-aes-256-gcm') return privateNumber(stored)
  // A line break at the end is the editor's.
  const text = stored.toString('utf8').replace(/\r?\n$/, '')
  return text === '' ? { why: 'is empty' } : Buffer.from(text)
}

function aesKey(stored: Buffer): Buffer | Unfit {
  if (stored.length === AES_BYTES) return stored
  const bytes = fromBase64(stored.toString('latin1').trim())
  return bytes?.length === AES_BYTES ? bytes : notAes
}

/** The private number of a P-256 key, 32 bytes. */
function privateNumber(stored: Buffer): Buffer | Unfit {
  const text = stored.toString('utf8').trim()
  if (text.startsWith('{')) return ofJson(text)
  if (text.startsWith('-----BEGIN')) return ofPem(text)
  return ofDer(stored) ?? ofDer(fromBase64(text.replace(/\s/g, ''))) ?? notPrivate
}

/** A JWK, or a pair of which `privateKey` is one or PKCS#8 in Base64. */
function ofJson(text: string): Buffer | Unfit {
  const stated = parsed(text)
  const inPair = stated['privateKey']
  if (typeof inPair === 'string') return ofDer(fromBase64(inPair)) ?? notPrivate
  const jwk = inPair === undefined ? stated : recordOf(inPair)
  if (jwk['kty'] !== 'EC') return jwk['publicKey'] === undefined ? notPrivate : publicOnly
  if (jwk['crv'] !== 'P-256') return otherCurve
  if (typeof jwk['d'] !== 'string') return publicOnly
  const key = attempt(() => createPrivateKey({ key: { ...jwk }, format: 'jwk' }))
  return key === undefined ? notPrivate : numberOfKey(key)
}

function ofPem(text: string): Buffer | Unfit {
  if (/BEGIN ENCRYPTED|Proc-Type: 4,ENCRYPTED/.test(text)) return isLocked
  const key = attempt(() => createPrivateKey(text))
  if (key !== undefined) return numberOfKey(key)
  return attempt(() => createPublicKey(text)) === undefined ? notPrivate : publicOnly
}

/** Undefined when the bytes are no key. */
function ofDer(key: Buffer | undefined): Buffer | Unfit | undefined {
  if (key === undefined || key.length === 0) return undefined
  const found = attempt(() => createPrivateKey({ key, format: 'der', type: 'pkcs8' }))
  if (found !== undefined) return numberOfKey(found)
  return attempt(() => createPublicKey({ key, format: 'der', type: 'spki' })) === undefined ? undefined : publicOnly
}

function numberOfKey(key: KeyObject): Buffer | Unfit {
  if (key.asymmetricKeyType !== 'ec' || key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') return otherCurve
  const number = Buffer.from(key.export({ format: 'jwk' }).d ?? '', 'base64url')
  // Of a JWK, Node takes any number for d.
  const isSound = attempt(() => (createECDH('prime256v1').setPrivateKey(number), true))
  return isSound === true ? number : notPrivate
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  return recordOf(attempt((): unknown => JSON.parse(text)))
}

/** What OpenSSL and parsers say of bytes that are no key is for programmers; what is wrong is said here. */
function attempt<T>(make: () => T): T | undefined {
  try {
    return make()
  } catch {
    return undefined
  }
}

/** Parses keys of encrypted events in their common file formats (docs/interface/encryption.md#methods-of-encryption). */
import { createECDH, createPrivateKey, createPublicKey } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { recordOf } from '../../../client/answer.js'
import type { Method } from './methods.js'

/** A key that the method does not accept: `why` completes "The key …". */
interface UnusableKey {
  why: string
}

const AES_BYTES = 32
const notAes = { why: 'is not 32 bytes, raw or in Base64' }
const notPrivate = { why: 'is not a private key of P-256: a JWK with d, or PKCS#8 as PEM, as bytes or in Base64' }
const publicOnly = { why: 'is a public key; decryption needs the private key' }
const otherCurve = { why: 'is not on the curve P-256' }
const isLocked = { why: 'is protected by a passphrase; remove it first, for instance with openssl pkcs8' }

/** Decodes standard padded Base64, ignoring line breaks around it; undefined for anything else. */
export function fromBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}

/** Converts the bytes of a key file to the key that `openBytes` takes. */
export function readKey(method: Method, stored: Buffer): Buffer | UnusableKey {
  if (method === 'aes-256-gcm') return aesKey(stored)
  if (method === 'ecies-aes-256-gcm') return privateNumber(stored)
  // Editors append a line break.
  const text = stored.toString('utf8').replace(/\r?\n$/, '')
  return text === '' ? { why: 'is empty' } : Buffer.from(text)
}

function aesKey(stored: Buffer): Buffer | UnusableKey {
  if (stored.length === AES_BYTES) return stored
  const bytes = fromBase64(stored.toString('latin1').trim())
  return bytes?.length === AES_BYTES ? bytes : notAes
}

/** Returns the private number of a P-256 key, 32 bytes. */
function privateNumber(stored: Buffer): Buffer | UnusableKey {
  const text = stored.toString('utf8').trim()
  if (text.startsWith('{')) return ofJson(text)
  if (text.startsWith('-----BEGIN')) return ofPem(text)
  return ofDer(stored) ?? ofDer(fromBase64(text.replace(/\s/g, ''))) ?? notPrivate
}

/** Parses a JWK, or a key pair whose `privateKey` is a JWK or PKCS#8 in Base64. */
function ofJson(text: string): Buffer | UnusableKey {
  const value = parseObject(text)
  const inPair = value['privateKey']
  if (typeof inPair === 'string') return ofDer(fromBase64(inPair)) ?? notPrivate
  const jwk = inPair === undefined ? value : recordOf(inPair)
  if (jwk['kty'] !== 'EC') return jwk['publicKey'] === undefined ? notPrivate : publicOnly
  if (jwk['crv'] !== 'P-256') return otherCurve
  if (typeof jwk['d'] !== 'string') return publicOnly
  const key = attempt(() => createPrivateKey({ key: { ...jwk }, format: 'jwk' }))
  return key === undefined ? notPrivate : numberOfKey(key)
}

function ofPem(text: string): Buffer | UnusableKey {
  if (/BEGIN ENCRYPTED|Proc-Type: 4,ENCRYPTED/.test(text)) return isLocked
  const key = attempt(() => createPrivateKey(text))
  if (key !== undefined) return numberOfKey(key)
  return attempt(() => createPublicKey(text)) === undefined ? notPrivate : publicOnly
}

/** Parses DER; undefined when the bytes are not a key. */
function ofDer(key: Buffer | undefined): Buffer | UnusableKey | undefined {
  if (key === undefined || key.length === 0) return undefined
  const found = attempt(() => createPrivateKey({ key, format: 'der', type: 'pkcs8' }))
  if (found !== undefined) return numberOfKey(found)
  return attempt(() => createPublicKey({ key, format: 'der', type: 'spki' })) === undefined ? undefined : publicOnly
}

function numberOfKey(key: KeyObject): Buffer | UnusableKey {
  if (key.asymmetricKeyType !== 'ec' || key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') return otherCurve
  const number = Buffer.from(key.export({ format: 'jwk' }).d ?? '', 'base64url')
  // Node accepts any number for d of a JWK.
  const isValid = attempt(() => (createECDH('prime256v1').setPrivateKey(number), true))
  return isValid === true ? number : notPrivate
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  return recordOf(attempt((): unknown => JSON.parse(text)))
}

/** Returns undefined on errors, because error texts of OpenSSL and parsers are for programmers. */
function attempt<T>(action: () => T): T | undefined {
  try {
    return action()
  } catch {
    return undefined
  }
}

/**
 * Events encrypted as by clients, with the browser's cryptography, and published test vectors
 * (docs/interface/encryption.md#methods-of-encryption).
 */
import { webcrypto } from 'node:crypto'

const { subtle } = webcrypto

export interface Vector {
  type: string
  key: string
  payload: string
  content: string
}

export const aes: Vector = {
  type: 'encrypted/aes-256-gcm',
  key: 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=',
  payload: 'AAECAwQFBgcICQoLPCCiYrWA4CGvL/j/1MYMFff0qxaTFDEIXQmRpydLc9diYsuIj6x36wfFGIiq+v9cBfRF8sIXTsUY8kkKszA=',
  content: 'secret message',
}

export const recipient = {
  kty: 'EC',
  crv: 'P-256',
  d: 'kCm5Pa7sj_7firW_nild7COqV0eR3vI5ofaBJTRY3h4',
  x: 'vN2pTQ7eQd3gDo9E9-T6XlK4J7nkkHDNPo5CEi54nIg',
  y: 'v-noMfXE5bc8WQr7DLUVMw186XLeYnqNEyZEBacQnes',
}

export const ecies: Vector = {
  type: 'encrypted/ecies-aes-256-gcm',
  key: JSON.stringify(recipient),
  payload:
    'BIrXbiyCyStCxTRUl+AyRrCb3mNHjACy+9sHtyh9/FQ7XkK7ZETz45gBXbDDJS7QXpFKxLBQngvw8J29dDj04C4AAQIDBAUGBwgJCguCp20WLofBEKOMIn3UAuXg8+iUZ9VUVw6wn7MmNIOX8Rg9tK6/Cr0A0o8Zecv+MsnHsZplOb2aOEZy7lwe7QmNPDLxBNo5N2iK',
  content: 'an asymmetric secret note',
}

export const legacy: Vector = {
  type: 'encrypted/aes-text-base64',
  key: 'correct horse battery staple',
  payload:
    'U2FsdGVkX18BAgMEBQYHCCFXymfQ/729Q7VKEGY0z96dPk5U5mmdyxlVYODjTVlk4HeEYoe5lpeKH6WKiWG942x67xmSLxCd7cc0KDG+5Tw=',
  content: 'a legacy secret note',
}

export const vectors = [aes, ecies, legacy]

/** Encrypts; returns iv, ciphertext, tag. */
export async function sealAes(rawKey: Uint8Array, plain: Uint8Array): Promise<Buffer> {
  const iv = webcrypto.getRandomValues(new Uint8Array(12))
  const key = await subtle.importKey('raw', rawKey, 'AES-GCM', false, ['encrypt'])
  return Buffer.concat([iv, Buffer.from(await subtle.encrypt({ name: 'AES-GCM', iv }, key, plain))])
}

/** Encrypts; returns the ephemeral point, iv, ciphertext, tag. */
export async function sealEcies(jwk: { x: string; y: string }, plain: Uint8Array): Promise<Buffer> {
  const curve = { name: 'ECDH', namedCurve: 'P-256' }
  const { x, y } = jwk
  const to = await subtle.importKey('jwk', { kty: 'EC', crv: 'P-256', x, y }, curve, false, [])
  const own = await subtle.generateKey(curve, true, ['deriveBits'])
  const shared = await subtle.deriveBits({ name: 'ECDH', public: to }, own.privateKey, 256)
  const base = await subtle.importKey('raw', shared, 'HKDF', false, ['deriveBits'])
  const info = new TextEncoder().encode('encrypted/ecies-aes-256-gcm')
  const hkdf = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info }
  const key = Buffer.from(await subtle.deriveBits(hkdf, base, 256))
  const point = Buffer.from(await subtle.exportKey('raw', own.publicKey))
  return Buffer.concat([point, await sealAes(key, plain)])
}

/** DPoP proofs of possession, independent of the code that verifies them. */
import { createHash, generateKeyPairSync, randomUUID, sign, type KeyObject } from 'node:crypto'

export interface ProofKey {
  jwk: { kty: string; crv: string; x: string; y: string }
  /** RFC 7638. */
  jkt: string
  secret: KeyObject
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url')
const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

export function newProofKey(): ProofKey {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { kty = '', crv = '', x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const jwk = { kty, crv, x, y }
  return { jwk, jkt: sha256(JSON.stringify({ crv, kty, x, y })), secret: privateKey }
}

/** Target of a proof; members of `header` and `claims` replace the default ones, undefined ones are removed. */
export interface ProofFor {
  method?: string
  url: string
  token?: string
  /** Time in seconds. */
  now?: number
  header?: Record<string, unknown>
  claims?: Record<string, unknown>
}

/** Returns a proof, signed by a key. */
export function proofOf(key: ProofKey, { method = 'GET', url, token, now = Date.now() / 1000, header, claims }: ProofFor): string {
  const head = part({ typ: 'dpop+jwt', alg: 'ES256', jwk: key.jwk, ...header })
  const ath = token === undefined ? {} : { ath: sha256(token) }
  const body = part({ jti: randomUUID(), htm: method, htu: url, iat: Math.floor(now), ...ath, ...claims })
  const signature = sign('sha256', Buffer.from(`${head}.${body}`), { key: key.secret, dsaEncoding: 'ieee-p1363' })
  return `${head}.${body}.${signature.toString('base64url')}`
}

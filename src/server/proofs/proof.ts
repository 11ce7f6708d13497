/**
 * Proofs of possession (RFC 9449 as consent supplement 4.8 has it): a small signed text that says for which call it was
 * made. Here is what makes one good by itself; that it is used once is use.ts.
 */
import { hash, verify, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import { isThirtyTwoBytes, keyAt, thumbprint } from './key.js'

/** What a proof must have been made for. */
export interface Expected {
  /** The method of the request. */
  method: string
  /** Its address, as the client used it. */
  url: string
  /** The token that it comes with; a proof for the token endpoint names none. */
  token?: string
  /** The present, and how far the time of a proof may be from it, in seconds. */
  now: number
  skew: number
}

/** What a good proof tells: the thumbprint of its key (RFC 7638), and the id that it may be used once by. */
export interface Proved {
  jkt: string
  jti: string
}

interface Key {
  object: KeyObject
  jkt: string
}

const MAX_PROOF_LENGTH = 4096
const MAX_JTI_LENGTH = 256
const SIGNATURE_BYTES = 64
/** Keys of proofs that were good, by the header as it came: reading one takes about as long as verifying with it. */
const MAX_KEYS = 1000
const keys = new Map<string, Key>()

const verified = promisify(verify)

/** Examines a proof; undefined when anything about it is wrong: whoever sent it is not told what. */
export async function examine(proof: string, expected: Expected): Promise<Proved | undefined> {
  if (proof.length > MAX_PROOF_LENGTH) return undefined
  const parts = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(proof)
  if (parts === null) return undefined
  const [, head = '', body = '', signed = ''] = parts
  const jti = idIn(objectIn(body), expected)
  const signature = Buffer.from(signed, 'base64url')
  if (jti === undefined || signature.length !== SIGNATURE_BYTES) return undefined
  const key = keys.get(head) ?? keyOf(keyIn(objectIn(head)))
  if (key === undefined) return undefined
  const data = Buffer.from(`${head}.${body}`, 'latin1')
  if (!(await verified('sha256', data, { key: key.object, dsaEncoding: 'ieee-p1363' }, signature))) return undefined
  if (keys.size >= MAX_KEYS) keys.clear()
  keys.set(head, key)
  return { jkt: key.jkt, jti }
}

type Members = Readonly<Record<string, unknown>>

function objectIn(part: string): Members | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : undefined
  } catch {
    return undefined
  }
}

/** The key in a header that is one of a proof. Extensions that must be understood are not. */
function keyIn(header: Members | undefined): { x: string; y: string } | undefined {
  if (header?.['typ'] !== 'dpop+jwt' || header['alg'] !== 'ES256' || header['crit'] !== undefined) return undefined
  const { jwk } = header
  if (typeof jwk !== 'object' || jwk === null) return undefined
  const { kty, crv, x, y, d } = jwk as Members
  if (kty !== 'EC' || crv !== 'P-256' || d !== undefined || typeof x !== 'string' || typeof y !== 'string') return undefined
  // One key has one spelling, or a revoked one would come back in another.
  return isThirtyTwoBytes(x) && isThirtyTwoBytes(y) ? { x, y } : undefined
}

/** A key of a header; undefined for what is no point of the curve. */
function keyOf(point: { x: string; y: string } | undefined): Key | undefined {
  const object = point === undefined ? undefined : keyAt(point)
  return point === undefined || object === undefined ? undefined : { object, jkt: thumbprint(point) }
}

/** The id of a proof that is for the expected call. */
function idIn(claims: Members | undefined, { method, url, token, now, skew }: Expected): string | undefined {
  if (claims === undefined) return undefined
  const { jti, htm, htu, iat, ath } = claims
  if (typeof jti !== 'string' || jti === '' || jti.length > MAX_JTI_LENGTH) return undefined
  if (htm !== method || typeof htu !== 'string') return undefined
  if (!isSameAddress(htu, url)) return undefined
  if (typeof iat !== 'number' || !(Math.abs(now - iat) <= skew)) return undefined
  return ath === (token === undefined ? undefined : hashOf(token)) ? jti : undefined
}

/** Whether two addresses lead to one place. Most clients write it as they have used it, which needs no look inside. */
function isSameAddress(named: string, used: string): boolean {
  const query = used.indexOf('?')
  if (named === (query < 0 ? used : used.slice(0, query)) && URL.canParse(used)) return true
  const address = comparable(named)
  return address !== undefined && address === comparable(used)
}

/** An address without query and fragment; hosts differ by letter case in name only. */
function comparable(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined
  const { protocol, host, pathname } = new URL(text)
  return protocol === 'https:' || protocol === 'http:' ? `${protocol}//${host}${pathname}` : undefined
}

const hashOf = (token: string): string => hash('sha256', token, 'base64url')

/**
 * Verification of DPoP proofs (RFC 9449 according to docs/interface/oauth.md#dpop), signed for one call. Checks a proof by
 * itself; use.ts ensures that it is used once.
 */
import { hash, verify, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import { parseJsonObject } from '../../../store/model/json.js'
import { isThirtyTwoBytes, keyAt, thumbprint } from './key.js'

/** Expected contents of a proof. */
export interface Expected {
  /** HTTP method of the request. */
  method: string
  /** URL of the request, as the client used it. */
  url: string
  /** Access token of the request; a proof for the token endpoint has none. */
  token?: string
  /** Current time and maximum clock skew, in seconds. */
  now: number
  skew: number
}

/** Contents of a valid proof: the thumbprint of its key (RFC 7638), and its single-use id. */
interface Proved {
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
/** Number of cached keys, by raw header: parsing a key takes about as long as verifying. */
const MAX_KEYS = 1000
const keys = new Map<string, Key>()

const verified = promisify(verify)

/** Verifies a proof; undefined for any defect, without details for the sender. */
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

const objectIn = (part: string): Members | undefined => parseJsonObject(Buffer.from(part, 'base64url').toString('utf8'))

/** Returns the key in the header of a proof. Rejects critical extensions. */
function keyIn(header: Members | undefined): { x: string; y: string } | undefined {
  if (header?.['typ'] !== 'dpop+jwt' || header['alg'] !== 'ES256' || header['crit'] !== undefined) return undefined
  const { jwk } = header
  if (typeof jwk !== 'object' || jwk === null) return undefined
  const { kty, crv, x, y, d } = jwk as Members
  if (kty !== 'EC' || crv !== 'P-256' || d !== undefined || typeof x !== 'string' || typeof y !== 'string') return undefined
  // Requires the canonical encoding, or a revoked key would return in another one.
  return isThirtyTwoBytes(x) && isThirtyTwoBytes(y) ? { x, y } : undefined
}

/** Returns the key of a header; undefined for coordinates that are not on the curve. */
function keyOf(point: { x: string; y: string } | undefined): Key | undefined {
  const object = point === undefined ? undefined : keyAt(point)
  return point === undefined || object === undefined ? undefined : { object, jkt: thumbprint(point) }
}

/** Returns the id of a proof if it matches the expected call. */
function idIn(claims: Members | undefined, { method, url, token, now, skew }: Expected): string | undefined {
  if (claims === undefined) return undefined
  const { jti, htm, htu, iat, ath } = claims
  if (typeof jti !== 'string' || jti === '' || jti.length > MAX_JTI_LENGTH) return undefined
  if (htm !== method || typeof htu !== 'string') return undefined
  if (!isSameAddress(htu, url)) return undefined
  if (typeof iat !== 'number' || !(Math.abs(now - iat) <= skew)) return undefined
  return ath === (token === undefined ? undefined : hashOf(token)) ? jti : undefined
}

/** Checks whether two URLs are equivalent; most are equal as text, which skips parsing. */
function isSameAddress(named: string, used: string): boolean {
  const query = used.indexOf('?')
  if (named === (query < 0 ? used : used.slice(0, query)) && URL.canParse(used)) return true
  const address = comparable(named)
  return address !== undefined && address === comparable(used)
}

/** Returns a URL without query and fragment, with a normalized host. */
function comparable(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined
  const { protocol, host, pathname } = new URL(text)
  return protocol === 'https:' || protocol === 'http:' ? `${protocol}//${host}${pathname}` : undefined
}

const hashOf = (token: string): string => hash('sha256', token, 'base64url')

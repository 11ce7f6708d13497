/** Client authentication by `private_key_jwt` (RFC 7523; docs/interface/oauth.md#tokens). */
import { hash } from 'node:crypto'
import { compactVerify, decodeProtectedHeader, importJWK } from 'jose'
import { isJsonObject } from '../../../store/model/json.js'
import type { Context } from '../../call/context.js'
import type { OAuthClient } from './clients.js'
import { issuerOf, tokenEndpoint } from './issuer.js'

export const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

const USED = 'oauth-cassert-jti'
const MAX_CHARACTERS = 8192
const MAX_ID_LENGTH = 256
/** Maximum clock skew and lifetime of an assertion, in seconds. */
const SKEW = 60
const MAX_LIFE_LENGTH = 300

/** Checks the signature, claims and single use of a client assertion. */
export async function assertsClient(node: Context, client: OAuthClient, assertion: string): Promise<boolean> {
  if (assertion.length > MAX_CHARACTERS || !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(assertion)) return false
  const claims = await verified(client, assertion)
  const found = claims === undefined ? undefined : acceptable(node, client, claims)
  return found !== undefined && consumeId(node, client, found)
}

/** Returns the claims of an assertion if a key of the client signed it. */
async function verified({ jwks }: OAuthClient, assertion: string): Promise<Record<string, unknown> | undefined> {
  try {
    const { kid } = decodeProtectedHeader(assertion)
    const keys = (jwks?.keys ?? []).filter((key) => kid === undefined || key.kid === kid)
    for (const key of keys) {
      const payload = await payloadBy(key, assertion)
      if (payload !== undefined) return payload
    }
    return undefined
  } catch {
    return undefined
  }
}

async function payloadBy(jwk: object, assertion: string): Promise<Record<string, unknown> | undefined> {
  try {
    const key = await importJWK(jwk, 'ES256')
    const { payload } = await compactVerify(assertion, key, { algorithms: ['ES256'] })
    const claims: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload))
    return isJsonObject(claims) ? { ...claims } : undefined
  } catch {
    return undefined
  }
}

/** Returns the id and expiry of an assertion if it is current and issued by this client for this server; else undefined. */
function acceptable(
  node: Context,
  { clientId }: OAuthClient,
  { iss, sub, aud, jti, exp, iat, nbf }: Record<string, unknown>,
): { jti: string; exp: number } | undefined {
  const now = node.clock.now()
  const audiences: unknown[] = Array.isArray(aud) ? aud : [aud]
  if (iss !== clientId || sub !== clientId) return undefined
  if (!audiences.includes(issuerOf(node)) && !audiences.includes(tokenEndpoint(node))) return undefined
  if (typeof jti !== 'string' || jti === '' || jti.length > MAX_ID_LENGTH) return undefined
  if (!isTime(exp) || exp <= now - SKEW || exp > now + MAX_LIFE_LENGTH + SKEW) return undefined
  if (iat !== undefined && (!isTime(iat) || iat > now + SKEW)) return undefined
  if (nbf !== undefined && (!isTime(nbf) || nbf > now + SKEW)) return undefined
  return { jti, exp }
}

const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)

/** Records an assertion as used until it expires; returns false if it already was. */
function consumeId(node: Context, { clientId }: OAuthClient, { jti, exp }: { jti: string; exp: number }): Promise<boolean> {
  return node.registry.records.change(USED, `${clientId}/${hash('sha256', jti, 'base64url')}`, (now) =>
    now === undefined ? { put: true, expires: exp + SKEW + 1, result: true } : { result: false },
  )
}

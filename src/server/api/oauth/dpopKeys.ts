/**
 * Keys of bound tokens: the operator's block list, and an inventory of seen keys (docs/interface/oauth.md#clients,
 * docs/interface/oauth.md#records).
 */
import { millisecondsNow } from '../../base/clock.js'
import { Failure } from '../../../store/model/failure.js'
import type { Context } from '../../call/context.js'
import { REVOKED_KEYS } from '../../auth/dpop/families.js'
import { isThirtyTwoBytes } from '../../auth/dpop/key.js'

/** Family of records: `{ firstSeenAt, lastSeenAt }` by client and thumbprint, in milliseconds. */
const SEEN_KEYS = 'dpop-jkt-seen'

/** A key that a client proved possession of. */
interface KnownKey {
  clientId: string
  jkt: string
  firstSeenAt: number
  lastSeenAt: number
}

/** Records that a client received a token for a key. An inventory only: failures are logged. */
export async function noteKey(node: Context, { clientId, jkt }: Pick<KnownKey, 'clientId' | 'jkt'>): Promise<void> {
  const at = millisecondsNow(node.clock)
  await node.registry.records
    .change(SEEN_KEYS, `${clientId}/${jkt}`, (now) => {
      const { firstSeenAt = at } = (now ?? {}) as Partial<KnownKey>
      return { put: { firstSeenAt, lastSeenAt: at }, result: undefined }
    })
    .catch((error: unknown) => node.log.warn('failed to record a DPoP key', { jkt, error: String(error) }))
}

/** Returns the keys that clients proved possession of, the latest first; of one client, or of all. */
export async function knownKeys(node: Context, clientId?: string): Promise<KnownKey[]> {
  const found: KnownKey[] = []
  for (const { id, value } of await node.registry.records.list(SEEN_KEYS)) {
    const slash = id.lastIndexOf('/')
    const { firstSeenAt, lastSeenAt } = value as KnownKey
    const seen = { clientId: id.slice(0, slash), jkt: id.slice(slash + 1), firstSeenAt, lastSeenAt }
    if (clientId === undefined || clientId === seen.clientId) found.push(seen)
  }
  return found.sort((a, b) => b.lastSeenAt - a.lastSeenAt)
}

/** Returns the revoked keys, with the time in milliseconds. */
export async function revokedKeys(node: Context): Promise<{ jkt: string; revokedAt: number }[]> {
  const found = await node.registry.records.list(REVOKED_KEYS)
  return found.map(({ id, value }) => ({ jkt: id, revokedAt: (value as { revokedAt: number }).revokedAt }))
}

/**
 * Revokes a key: tokens bound to it, now or later, are rejected.
 * @throws Failure `invalid-parameters-format`
 */
export async function revokeKey(node: Context, jkt: string): Promise<void> {
  assertKeyForm(jkt)
  await node.registry.records.change(REVOKED_KEYS, jkt, (now) =>
    now === undefined ? { put: { revokedAt: millisecondsNow(node.clock) }, result: undefined } : { result: undefined },
  )
}

/**
 * Removes a key from the block list.
 * @throws Failure `unknown-resource`, `invalid-parameters-format`
 */
export async function restoreKey(node: Context, jkt: string): Promise<void> {
  assertKeyForm(jkt)
  await node.registry.records.change(REVOKED_KEYS, jkt, (now) => {
    if (now === undefined) throw new Failure('unknown-resource', `The key ${jkt} is not revoked.`, { jkt })
    return { put: null, result: undefined }
  })
}

/** Checks whether a key is currently revoked. */
export const isKeyRevoked = async (node: Context, jkt: string): Promise<boolean> =>
  (await node.registry.records.get(REVOKED_KEYS, jkt)) !== undefined

function assertKeyForm(jkt: string): void {
  if (isThirtyTwoBytes(jkt)) return
  throw new Failure('invalid-parameters-format', 'The thumbprint of a key must have 43 characters of base64url.', { jkt })
}

/**
 * Creates shared secrets, for the method and for token hand-off to apps (docs/interface/shared-secrets.md#creation,
 * docs/interface/limits.md#sizes).
 */
import { randomBytes } from 'node:crypto'
import { secretDigest } from '../../base/secretDigest.js'
import type { Transaction } from '../../../store/engine/account.js'
import { RANDOM_BYTES, type SharedSecret, type SharedSecretContent } from '../../../store/model/sharedSecret.js'
import { addSharedSecret } from '../../../store/accesses/sharedSecrets.js'
import type { Context } from '../../call/context.js'
import type { NewSecret } from './input.js'
import { integrityOf } from './rules.js'

interface CreatedSecret {
  secret: SharedSecret
  /** Key that redeems it; absent when the client generated the random half itself. */
  key?: string
}

/** Stages a new secret of an access. `accessId` is its base id, `author` the id stored in tracking fields. */
export function createSecret(
  node: Context,
  t: Transaction,
  { accessId, author }: { accessId: string; author: string },
  input: NewSecret,
): CreatedSecret {
  const half = input.keyHash === undefined ? randomBytes(RANDOM_BYTES).toString('base64url') : undefined
  const now = node.clock.now()
  const secret: SharedSecret = {
    id: node.newId(),
    accessId,
    time: now,
    duration: input.ttl,
    keyHash: input.keyHash ?? secretDigest(half ?? ''),
    title: input.title,
    status: 'pending',
    statusHistory: [{ status: 'pending', time: now }],
    onConsumed: input.onConsumed,
    ...(input.signatureType === undefined ? {} : { signatureType: input.signatureType }),
    modified: now,
    modifiedBy: author,
    createdBy: author,
  }
  const content: SharedSecretContent = {
    secret: input.secret,
    ...(input.signatureValue === undefined ? {} : { signatureValue: input.signatureValue }),
  }
  // Not in the audit record: an integrity reveals the value, and audit records are permanent.
  addSharedSecret(t, node.store.seal, secret, { ...content, ...integrityOf(node, secret, content) })
  return half === undefined ? { secret } : { secret, key: `${secret.id}.${half}` }
}

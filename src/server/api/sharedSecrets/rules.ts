/** Rules shared by the methods of shared secrets (docs/interface/shared-secrets.md). */
import { NO_DIGEST, secretDigest } from '../../base/secretDigest.js'
import { constantTimeEqual } from '../../../store/model/constantTimeEqual.js'
import { Failure } from '../../../store/model/failure.js'
import { eventIntegrity } from '../../../store/model/integrity.js'
import {
  parseSecretKey,
  secretToEvent,
  type SharedSecret,
  type SharedSecretContent,
} from '../../../store/model/sharedSecret.js'
import { endSharedSecret, findSharedSecret, type FoundSecret } from '../../../store/accesses/sharedSecrets.js'
import type { Transaction } from '../../../store/engine/account.js'
import type { RecordReader } from '../../../store/engine/recordReader.js'
import type { Call, OpenCall } from '../../call/method.js'
import type { Context } from '../../call/context.js'

/** Returns the failure of all methods while the operator has disabled shared secrets. */
export const secretsOff = ({ config }: Pick<Context, 'config'>): Failure | undefined =>
  config.get('sharedSecrets.enabled')
    ? undefined
    : new Failure('unavailable-method', 'Shared secrets are disabled on this platform.')

/** Returns the single failure for all invalid keys, so that existing ids are not revealed. */
export const unknownSecret = (): Failure => new Failure('unknown-resource', 'There is no shared secret with this key.')

/**
 * Finds the secret of a key.
 * @throws Failure `unknown-resource`, the same for malformed keys, unknown ids, and a wrong half
 */
export function secretOfKey({ node, account }: Pick<OpenCall, 'node' | 'account'>, reader: RecordReader, key: unknown): FoundSecret {
  const parsed = parseSecretKey(key)
  if (parsed === undefined) throw unknownSecret()
  const found = findSharedSecret(reader, node.store.seal, account.prefix, parsed.id)
  const isIt = constantTimeEqual(secretDigest(parsed.half), found?.secret.keyHash ?? NO_DIGEST)
  if (found === undefined || !isIt) throw unknownSecret()
  return found
}

/** Checks whether the caller created the secret or owns the account. */
export const isOwnSecret = ({ caller }: Pick<Call, 'caller'>, { accessId }: SharedSecret): boolean =>
  caller.scope.personal || caller.access.id === accessId

/** Returns the integrity of the event form of a secret, where integrity is enabled. */
export function integrityOf(node: Context, secret: SharedSecret, content?: SharedSecretContent): { integrity?: string } {
  const { config } = node
  if (!config.get('integrity.isActive.events')) return {}
  return { integrity: eventIntegrity(secretToEvent(secret, content), config.get('integrity.algorithm')) }
}

/** Stores a secret that has ended, and returns its stored form. */
export function recordEnded(node: Context, t: Transaction, secret: SharedSecret): SharedSecret {
  const ended = { ...secret, ...integrityOf(node, secret) }
  endSharedSecret(t, ended)
  return ended
}

/** What the methods of shared secrets have in common (specification, "Shared secrets"; consent supplement 5). */
import { createHash, timingSafeEqual } from 'node:crypto'
import { Failure } from '../../store/model/failure.js'
import { eventIntegrity } from '../../store/model/integrity.js'
import {
  parseSecretKey,
  secretToEvent,
  type SharedSecret,
  type SharedSecretContent,
} from '../../store/model/sharedSecret.js'
import { endSharedSecret, findSharedSecret, type FoundSecret } from '../../store/accesses/sharedSecrets.js'
import type { Transaction } from '../../store/engine/account.js'
import type { Call, OpenCall } from '../method.js'
import type { Node } from '../node.js'

type Reader = { get(key: string): string | undefined }

/** What the three methods answer while the operator has switched them off. */
export const secretsOff = ({ config }: Pick<Node, 'config'>): Failure | undefined =>
  config.get('sharedSecrets.enabled')
    ? undefined
    : new Failure('unavailable-method', 'Shared secrets are disabled on this platform.')

/** The one answer to keys that lead to nothing, whatever the cause: nobody learns which ids there are. */
export const unknownSecret = (): Failure => new Failure('unknown-resource', 'There is no shared secret with this key.')

const sha256 = (text: string): Buffer => createHash('sha256').update(text, 'utf8').digest()

/** The hash by which a random half is known. */
export const keyHashOf = (half: string): string => sha256(half).toString('hex')

/** Whether two texts are the same, in a time that tells nothing of either. */
export const isSame = (one: string, other: string): boolean => timingSafeEqual(sha256(one), sha256(other))

/** What a half is compared with where there is no secret, so that this takes as long. */
const NOTHING = '0'.repeat(64)

/**
 * The secret of a key.
 * @throws Failure `unknown-resource`, the same for malformed keys, unknown ids, and another half
 */
export function secretOfKey({ node, account }: Pick<OpenCall, 'node' | 'account'>, reader: Reader, key: unknown): FoundSecret {
  const parsed = parseSecretKey(key)
  if (parsed === undefined) throw unknownSecret()
  const found = findSharedSecret(reader, node.store.seal, account.prefix, parsed.id)
  const isIt = isSame(keyHashOf(parsed.half), found?.secret.keyHash ?? NOTHING)
  if (found === undefined || !isIt) throw unknownSecret()
  return found
}

/** Whether the caller made the secret, or owns the account. */
export const isOwnSecret = ({ caller }: Pick<Call, 'caller'>, { accessId }: SharedSecret): boolean =>
  caller.scope.personal || caller.access.id === accessId

/** The integrity of the event that a secret is read as, as far as integrity is on. */
export function integrityOf(node: Node, secret: SharedSecret, content?: SharedSecretContent): { integrity?: string } {
  const { config } = node
  if (!config.get('integrity.isActive.events')) return {}
  return { integrity: eventIntegrity(secretToEvent(secret, content), config.get('integrity.algorithm')) }
}

/** Keeps a secret that has ended; answers it as it is kept. */
export function recordEnded(node: Node, t: Transaction, secret: SharedSecret): SharedSecret {
  const stored = { ...secret, ...integrityOf(node, secret) }
  endSharedSecret(t, stored)
  return stored
}

import type { Transaction } from '../../../store/engine/account.js'
import { Failure } from '../../../store/model/failure.js'
import { ended } from '../../../store/model/sharedSecret.js'
import { findSharedSecret, removeSharedSecret, secretToRecord } from '../../../store/accesses/sharedSecrets.js'
import type { Call, Result } from '../../call/method.js'
import { RawJson } from '../../call/results.js'
import { isOwnSecret, recordEnded } from './rules.js'

/**
 * Stages the effect of events.delete on a secret (docs/interface/shared-secrets.md#events): a pending one is discarded and stays,
 * others are removed. Undefined when the id is not that of a secret.
 * @throws Failure `forbidden` for a secret created by another access
 */
export function deleteSecret(call: Call, t: Transaction, id: string): Result | undefined {
  const { node, author } = call
  const found = findSharedSecret(t, node.store.seal, t.account, id)
  if (found === undefined) return undefined
  const { secret } = found
  if (!isOwnSecret(call, secret)) throw new Failure('forbidden')
  if (secret.status !== 'pending') {
    removeSharedSecret(t, secret)
    return { eventDeletion: { id } }
  }
  const after = ended(secret, { status: 'discarded', time: node.clock.now(), info: 'deleted', by: author })
  return { event: new RawJson(secretToRecord({ secret: recordEnded(node, t, after) })) }
}

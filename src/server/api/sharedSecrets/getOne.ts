import * as z from 'zod'
import { isOver } from '../../../store/model/sharedSecret.js'
import { documented } from '../../base/documented.js'
import { anyAccess } from '../../call/callers.js'
import { method } from '../../call/method.js'
import { isOwnSecret, secretOfKey, secretsOff, unknownSecret } from './rules.js'
import { SharedSecretView, viewOf } from './view.js'

const StatusBody = z.object({ key: z.string().describe('Key of the secret.') })

/** Route that reads a secret's status, without changing it, even when expired. See docs/interface/shared-secrets.md#status. */
export const getOne = method({
  id: 'sharedSecrets.getOne',
  summary: 'Reads the status of a shared secret; for its creator.',
  http: { verb: 'POST', path: '/shared-secrets/status' },
  caller: anyAccess,
  input: documented(StatusBody),
  output: () => z.object({
    sharedSecret: SharedSecretView.extend({
      expired: z.boolean().optional().describe('true once its time is over.'),
    }).describe('The secret, without its value.'),
  }),
  fails: ['unavailable-method', 'unknown-resource'],
  unavailable: secretsOff,
  run(call, body) {
    const { key } = typeof body === 'object' && body !== null && 'key' in body ? body : {}
    const { secret } = secretOfKey(call, call.account.db, key)
    if (!isOwnSecret(call, secret)) throw unknownSecret()
    const view = viewOf(secret)
    const isExpired = secret.status === 'pending' && isOver(secret, call.node.clock.now())
    return { sharedSecret: isExpired ? { ...view, status: 'discarded', expired: true } : view }
  },
})

import * as z from 'zod'
import { isOver } from '../../store/model/sharedSecret.js'
import { documented } from '../documented.js'
import { method } from '../method.js'
import { isOwnSecret, secretOfKey, secretsOff, unknownSecret } from './rules.js'
import { SharedSecretView, viewOf } from './view.js'

const StatusBody = z.object({ key: z.string() })

/** Specification, "Shared secrets"; consent supplement 5.6. Changes nothing, also of a secret whose time is over. */
export const getOne = method({
  id: 'sharedSecrets.getOne',
  summary: 'Tells its maker what became of a shared secret.',
  http: { verb: 'POST', path: '/shared-secrets/status' },
  input: documented(StatusBody),
  output: z.object({ sharedSecret: SharedSecretView.extend({ expired: z.boolean().optional() }) }),
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

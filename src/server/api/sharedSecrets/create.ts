import * as z from 'zod'
import { documented } from '../../base/documented.js'
import { writeWithinQuota } from '../../dispatch/accountWrite.js'
import { secretCreator } from '../../call/callers.js'
import { method } from '../../call/method.js'
import { NewSecretBody, readNewSecret } from './input.js'
import { createSecret } from './createSecret.js'
import { secretsOff } from './rules.js'
import { SharedSecretView, viewOf } from './view.js'

/** Route that creates a shared secret. Checks run in the order of docs/interface/shared-secrets.md#creation. */
export const create = method({
  id: 'sharedSecrets.create',
  summary: 'Creates a shared secret: a value that its key reads once.',
  http: { verb: 'POST', path: '/shared-secrets', status: 201 },
  caller: secretCreator,
  input: documented(NewSecretBody),
  output: () => z.object({
    sharedSecret: SharedSecretView.extend({
      key: z.string().optional().describe('Key by which it is redeemed; absent with keyHash.'),
    }).describe('The secret, without its value.'),
  }),
  synchronous: true,
  fails: ['unavailable-method', 'forbidden', 'invalid-parameters-format', 'user-intervention-required', 'storage-full'],
  unavailable: secretsOff,
  run(call, body) {
    const { node, caller, author } = call
    const { config } = node
    const bounds = { maxTtl: config.get('sharedSecrets.maxTtl'), maxSizeBytes: config.get('sharedSecrets.maxSizeBytes') }
    const input = readNewSecret(body, bounds)
    return writeWithinQuota(call, (t) => {
      const { secret, key } = createSecret(node, t, { accessId: caller.access.id, author }, input)
      return { sharedSecret: { ...viewOf(secret), ...(key === undefined ? {} : { key }) } }
    })
  },
})

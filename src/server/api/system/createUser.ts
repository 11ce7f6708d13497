import * as z from 'zod'
import { invalidFormat } from '../../../store/model/failure.js'
import type { SystemStreams } from '../../../store/model/systemStreams.js'
import { documented } from '../../base/documented.js'
import { assertPasswordStrength } from '../../auth/password.js'
import type { CoreCallDeps } from '../../platform/cores/coreCalls.js'
import { adminKey } from '../../call/callers.js'
import { platformMethod, type PlatformCall } from '../../call/method.js'
import { register } from '../register/createUser.js'
import { readRegistration, RegistrationBody } from '../register/input.js'
import { coreForNewAccount, registerAt } from '../register/placement.js'
import type { MailDeps } from '../../mail/mailer.js'

const KNOWN = ['username', 'password', 'email', 'appId', 'appid', 'language', 'referer', 'invitationToken', 'hosting']

/**
 * Creates an account for the operator, without an invitation (docs/interface/system.md#accounts). The welcome mail is sent in the
 * background.
 */
export const createUser = platformMethod({
  id: 'system.createUser',
  summary: 'Deprecated in favour of auth.register: creates an account.',
  http: { verb: 'POST', path: '/system/create-user', status: 201, jsonOnly: 'unsupported-content-type' },
  caller: adminKey,
  input: documented(RegistrationBody),
  output: () => z.object({ id: z.string().describe('Id of the account.') }),
  notInBatch: true,
  fails: ['unsupported-content-type', 'invalid-parameters-format', 'invalid-operation', 'item-already-exists', 'cross-core-registration-failed', 'platform-unavailable'],
  async run(call: PlatformCall<CoreCallDeps & MailDeps>, body) {
    const { node, fromCore } = call
    assertKnownFields(node.systemStreams, body)
    const input = readRegistration(body, node.systemStreams)
    assertPasswordStrength(node.config, input.password)
    const elsewhere = fromCore === undefined ? await coreForNewAccount(node, input) : undefined
    if (elsewhere !== undefined) return registerAt(call, elsewhere, body, { path: '/system/create-user', by: 'operator' })
    const { user } = await register(node, input, 'operator')
    return { id: user.id }
  },
})

function assertKnownFields(systemStreams: SystemStreams, body: unknown): void {
  if (typeof body !== 'object' || body === null) return
  const own = new Set([...KNOWN, ...systemStreams.fields.filter(({ streamId }) => streamId.startsWith(':system:')).map(({ id }) => id)])
  const unknown = Object.keys(body).filter((name) => !own.has(name))
  if (unknown.length === 0) return
  const items = unknown.map((name) => ({
    code: 'OBJECT_ADDITIONAL_PROPERTIES',
    message: `Additional properties not allowed: ${name}`,
    path: '#/',
    params: [name],
  }))
  throw invalidFormat(items)
}

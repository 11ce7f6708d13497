import * as z from 'zod'
import { isNamed } from '../../../store/accesses/delegations.js'
import type { Controlled } from '../../../store/model/delegation.js'
import { Failure } from '../../../store/model/failure.js'
import { apiEndpoint } from '../../config/apiEndpoint.js'
import { writeExclusively } from '../../dispatch/accountWrite.js'
import { personalOnly } from '../../call/callers.js'
import { method, type Call } from '../../call/method.js'
import type { Core, CoresDeps } from '../../platform/cores/cores.js'
import { platformUnavailable } from '../../platform/registry/port.js'
import { isDone, type Answer, type DelegationDeps } from './delivery.js'
import { identityOf } from './identity.js'
import { putMirror } from './invites.js'
import { endManaged, provideManaged } from './managedAccess.js'
import { endpointParts } from '../../base/endpointParts.js'
import { ControlledView, logUndelivered, Username, viewOfActive } from './rules.js'

const AccountResponse = z.object({
  controlApiEndpoint: z.string().refine((text) => endpointParts(text) !== undefined),
  controlledHostSlug: z.string(),
})

/** See docs/interface/delegations.md#creating-an-account. Creates everything, or nothing. */
export const createAccount = method({
  id: 'delegations.createAccount',
  summary: 'Creates an account that this one may act for.',
  http: { verb: 'POST', path: '/delegations/controlled', status: 201 },
  caller: personalOnly,
  requiresSetting: 'delegation.active',
  input: z.object({
    username: Username.describe('User name of the new account.'),
    email: z.string().nullish().describe('E-mail address of the new account.'),
    password: z.string().nullish().describe('Password of the new account; default: none, it is reached through its delegate only.'),
    core: z.string().nullish().describe('Core to create the account on; default: this one.'),
    language: z.string().nullish().describe('Language of the new account, such as en.'),
  }),
  output: () => z.object({ delegation: ControlledView.describe('The active delegation.') }),
  fails: [
    'forbidden',
    'invalid-parameters-format',
    'delegation-unknown-username',
    'delegation-self-not-allowed',
    'delegation-unknown-core',
    'delegation-username-taken',
    'delegation-creation-failed',
    'platform-unavailable',
  ],
  async run(call: Call<CoresDeps & DelegationDeps>, { username, email, password, core: input, language }) {
    const { node, account, user } = call
    if (username === '') throw new Failure('delegation-unknown-username', 'The username of the new account is missing.', undefined, 'absent')
    if (isNamed(user.username, username)) throw new Failure('delegation-self-not-allowed')
    const core = input === undefined || input === null ? 'here' : node.cores.named(input)
    if (core === undefined) throw new Failure('delegation-unknown-core')
    const relId = node.newId()
    const notifyApiEndpoint = await provideNotify(call, relId)
    try {
      const described = { relId, username, email, password, language, delegate: identityOf(node, user), notifyApiEndpoint }
      return { delegation: viewOfActive(await createOnCore(call, core, described)) }
    } catch (error) {
      await account.exclusively((write) => write((t) => endManaged(node, t, 'notify', relId)))
      throw error
    }
  },
})

/** Creates the access with which the new account reports the end of the delegation; returns its endpoint. */
function provideNotify(call: Call, relId: string): Promise<string> {
  const { node, user } = call
  return writeExclusively(call, (write) =>
    write((t) => apiEndpoint(node, user.username, provideManaged(node, t, { kind: 'notify', relId }).token.reveal())),
  )
}

/** Creates the account on its core and stores the delegation. If it cannot be stored, the account is removed again. */
async function createOnCore({ node, account }: Call<DelegationDeps & CoresDeps>, core: Core, described: { relId: string; username: string }): Promise<Controlled> {
  const { relId, username } = described
  const answer = await node.delegations.toCore(core, 'create-account', { action: 'create', ...described })
  if (answer.status === 409) throw new Failure('delegation-username-taken', undefined, { username })
  // A 4xx answer means that nothing was created. After other failures, the account may exist.
  if (answer.status >= 400 && answer.status < 500) throw failedBy(answer)
  try {
    const response = AccountResponse.safeParse(isDone(answer) ? answer.body : undefined)
    if (!response.success) throw failedBy(answer)
    const { controlApiEndpoint, controlledHostSlug: hostSlug } = response.data
    const now = node.clock.now()
    const times = { requestedAt: now, activatedAt: now }
    const mirror: Controlled = { relId, controlled: { username, hostSlug }, status: 'active', ...times, controlApiEndpoint }
    await account.exclusively((write) => putMirror(node, account, write, mirror))
    return mirror
  } catch (error) {
    const undone = await node.delegations.toCore(core, 'create-account', { action: 'cancel', relId, username })
    if (!isDone(undone)) logUndelivered(node, 'removal of a created account', relId, undone)
    if (error instanceof Failure) throw error
    node.log.error('the delegation of a created account could not be stored', { relId, error: String(error) })
    throw new Failure('delegation-creation-failed')
  }
}

/** Returns the failure for an account that the core did not create. */
function failedBy(answer: Answer): Failure {
  if ('cause' in answer) return new Failure('delegation-creation-failed', undefined, { cause: answer.cause })
  const { id, message } = Object(answer.body['error']) as { id?: unknown; message?: unknown }
  if (id === 'platform-unavailable') return platformUnavailable()
  return new Failure('delegation-creation-failed', typeof message === 'string' ? message : undefined, { peerStatus: answer.status })
}

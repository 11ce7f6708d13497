import * as z from 'zod'
import type { Account } from '../../../store/engine/account.js'
import { controlledAccounts } from '../../../store/accesses/delegations.js'
import type { Controlled } from '../../../store/model/delegation.js'
import { Failure } from '../../../store/model/failure.js'
import { apiEndpoint } from '../../config/apiEndpoint.js'
import { writeExclusively } from '../../dispatch/accountWrite.js'
import { personalOnly } from '../../call/callers.js'
import { method, type Call } from '../../call/method.js'
import type { Context } from '../../call/context.js'
import { isDone, type DelegationDeps } from './delivery.js'
import { identityOf } from './identity.js'
import { endManaged, provideManaged } from './managedAccess.js'
import { endpointParts } from '../../base/endpointParts.js'
import { ControlledView, controlledNamed, incomplete, OtherUsername, undelivered, viewOfActive } from './rules.js'
import type { CoresDeps } from '../../platform/cores/cores.js'

/**
 * See docs/interface/delegations.md#life-of-a-delegation. Accepting is idempotent: after a lost message, accepting again resumes,
 * since both sides find what they created before.
 */
export const acceptAttach = method({
  id: 'delegations.acceptAttach',
  summary: 'Accepts an invitation to act for an account.',
  http: { verb: 'POST', path: '/delegations/controlled/:username/accept' },
  caller: personalOnly,
  requiresSetting: 'delegation.active',
  input: OtherUsername,
  output: () => z.object({ delegation: ControlledView.describe('The active delegation.') }),
  fails: [
    'forbidden',
    'invalid-parameters-format',
    'delegation-not-found',
    'delegation-invite-expired',
    'delegation-delivery-failed',
  ],
  async run(call: Call<DelegationDeps & CoresDeps>, { username }) {
    const { node, account, user } = call
    const mirror = await controlledNamed(call, username)
    if (mirror.status === 'active') return { delegation: viewOfActive(mirror) }
    const { relId, controlled, capabilityUrl } = mirror
    if (mirror.status !== 'invite' || capabilityUrl === undefined) throw new Failure('delegation-invite-expired')
    const notifyApiEndpoint = await provideNotify(call, relId)
    const described = { relId, delegate: identityOf(node, user), notifyApiEndpoint }
    const answer = await node.delegations.toAccount(controlled, capabilityUrl, 'accept-response', described)
    if (answer.status >= 400 && answer.status < 500) return { delegation: viewOfActive({ ...(await refusedInvite(node, account, relId)), controlled }) }
    if (!isDone(answer)) throw undelivered(answer)
    const response = Accepted.safeParse(answer.body)
    if (!response.success) throw incomplete()
    const active = await activate(node, account, relId, response.data)
    // The invite has been used. If this message is lost, the capability expires by itself.
    await node.delegations.toAccount(controlled, capabilityUrl, 'accept-complete', { relId })
    return { delegation: viewOfActive({ ...active, controlled }) }
  },
})

const Accepted = z.object({
  controlApiEndpoint: z.string().refine((text) => endpointParts(text) !== undefined),
  activatedAt: z.number(),
})

/** Creates the access with which the controlled account reports the end of the delegation; returns its endpoint. */
function provideNotify(call: Call, relId: string): Promise<string> {
  const { node, user } = call
  return writeExclusively(call, (write) =>
    write((t) => {
      if (controlledAccounts.find(t, node.store.seal, t.account, relId) === undefined) throw new Failure('delegation-not-found')
      const { token } = provideManaged(node, t, { kind: 'notify', relId })
      return apiEndpoint(node, user.username, token.reveal())
    }),
  )
}

/** Stores the relationship as active, unless it ended in the meantime. */
function activate(node: Context, account: Account, relId: string, { controlApiEndpoint, activatedAt }: z.output<typeof Accepted>): Promise<Controlled> {
  const { seal } = node.store
  return account.exclusively((write) =>
    write((t) => {
      const mirror = controlledAccounts.find(t, seal, t.account, relId)
      if (mirror === undefined) throw new Failure('delegation-not-found')
      if (mirror.status !== 'invite') return mirror
      const { capabilityUrl: _, ...rest } = mirror
      const active: Controlled = { ...rest, status: 'active', activatedAt, controlApiEndpoint }
      controlledAccounts.put(t, seal, active)
      return active
    }),
  )
}

/**
 * Handles an invite that the controlled account no longer has: another call accepted it, or it ended. In the latter case,
 * removes the notify access.
 * @throws Failure `delegation-invite-expired`
 */
function refusedInvite(node: Context, account: Account, relId: string): Promise<Controlled> {
  const { seal } = node.store
  return account.exclusively(async (write) => {
    const mirror = controlledAccounts.find(account.db, seal, account.prefix, relId)
    if (mirror?.status === 'active') return mirror
    await write((t) => endManaged(node, t, 'notify', relId))
    throw new Failure('delegation-invite-expired')
  })
}

import * as z from 'zod'
import { findAccess } from '../../../store/accesses/accesses.js'
import { parseAccessId } from '../../../store/model/access.js'
import type { Delegate } from '../../../store/model/delegation.js'
import { Failure } from '../../../store/model/failure.js'
import { checkInput } from '../../../store/model/validation.js'
import { writeExclusively } from '../../dispatch/accountWrite.js'
import { genuineOnly } from '../../call/callers.js'
import { method, type Call } from '../../call/method.js'
import type { Context } from '../../call/context.js'
import { notifyCancelled } from './cancelInvite.js'
import { isDone, type Answer, type DelegationDeps } from './delivery.js'
import { detach, isGrantOf } from './detach.js'
import { dropInvite } from './invites.js'
import { delegateNamed, logUndelivered, Username } from './rules.js'
import type { CoresDeps } from '../../platform/cores/cores.js'
import type { ConsentDeps } from '../consents/service.js'

/** See docs/interface/delegations.md#detaching. Answers after all tokens of the delegate are rejected. */
export const detachDelegate = method({
  id: 'delegations.detachDelegate',
  summary: 'Ends a delegation, with the accesses that the delegate granted except those to keep.',
  http: { verb: 'DELETE', path: '/delegations/delegates/:username', query: { keepAccessIds: 'array' } },
  caller: genuineOnly,
  requiresSetting: 'delegation.active',
  input: z.object({
    username: Username.describe('User name of the delegate.'),
    keepAccessIds: z.unknown().optional().meta({ type: 'array', items: { type: 'string' } }).describe('Ids of accesses that the delegate granted and that stay; default: none.'),
  }),
  output: () => z.object({}),
  fails: [
    'delegation-genuine-login-required',
    'invalid-parameters-format',
    'delegation-unknown-username',
    'delegation-invalid-keep-list',
    'delegation-not-found',
  ],
  async run(call: Call<CoresDeps & DelegationDeps & ConsentDeps>, { username, keepAccessIds }) {
    if (username === '') throw new Failure('delegation-unknown-username', 'The username of the delegate is missing.', undefined, 'absent')
    const input = keepList(keepAccessIds)
    const { node, user } = call
    const anchor = await writeExclusively(call, async (write) => {
      const found = await delegateNamed(call, username)
      if (found === undefined) throw new Failure('delegation-not-found')
      const keep = remainingGrants(call, input, found)
      if (found.status === 'active') await detach(call, write, found.relId, keep)
      else await write((t) => dropInvite(node, t, found.relId))
      return found
    })
    const answer = anchor.status === 'active' ? await notifyDetached(node, anchor) : await notifyCancelled(node, user, anchor)
    if (!isDone(answer)) logUndelivered(node, 'delegate detached', anchor.relId, answer)
    return {}
  },
})

/** Notifies the delegate that a relationship ended. */
export async function notifyDetached(node: Context & DelegationDeps, { delegate, notifyApiEndpoint }: Delegate): Promise<Answer> {
  if (notifyApiEndpoint === undefined) return { status: 0, cause: 'no endpoint' }
  return node.delegations.toAccount(delegate, notifyApiEndpoint, 'detach-notify')
}

/** Parses the list of grants to keep; `remainingGrants` checks it against the relationship. */
function keepList(input: unknown): string[] {
  const list = checkInput(z.array(z.string().min(1)), input ?? [])
  if (!list.success) throw new Failure('delegation-invalid-keep-list')
  return list.data
}

/** Returns the base ids of the grants to keep. Each must belong to the relationship; invites have none. */
function remainingGrants({ node, account }: Call, input: readonly string[], { relId, status }: Delegate): Set<string> {
  return new Set(
    input.map((accessId) => {
      const { base } = parseAccessId(accessId)
      const live = findAccess(account.db, node.store.seal, account.prefix, base)
      if (status === 'active' && live !== undefined && isGrantOf(live.access, relId)) return base
      throw new Failure('delegation-invalid-keep-list', undefined, { accessId })
    }),
  )
}

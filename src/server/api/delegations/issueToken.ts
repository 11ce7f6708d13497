import * as z from 'zod'
import { findPersonalAccess, putSession, sessionExpiry, type LiveAccess } from '../../../store/accesses/accesses.js'
import type { Transaction } from '../../../store/engine/account.js'
import { delegates } from '../../../store/accesses/delegations.js'
import { markerOf, type Delegate } from '../../../store/model/delegation.js'
import { Failure } from '../../../store/model/failure.js'
import { revoke } from '../accesses/revoke.js'
import { apiEndpoint } from '../../config/apiEndpoint.js'
import { sessionEnd } from '../auth/session.js'
import { writeExclusively } from '../../dispatch/accountWrite.js'
import { callersMarker, delegationControl } from '../../call/callers.js'
import { method } from '../../call/method.js'
import type { Context } from '../../call/context.js'
import { isSameIdentity } from './identity.js'
import { putManaged } from './managedAccess.js'

/** Issues the token of the delegate, a personal access with a session. See docs/interface/delegations.md#tokens. */
export const issueToken = method({
  id: 'delegations.issueToken',
  summary: 'Between nodes: issues the token of the delegate.',
  http: { verb: 'POST', path: '/delegations/controlled-side/token' },
  caller: delegationControl,
  requiresSetting: 'delegation.active',
  input: z.unknown(),
  output: () => z.object({
    token: z.string().describe('Token of the controlled account for the delegate.'),
    apiEndpoint: z.string().describe('Address of the controlled account with the token.'),
  }),
  fails: ['invalid-access-token', 'delegation-not-active', 'delegation-delegate-mismatch'],
  run(call) {
    const marker = callersMarker(call, 'control')
    const { node, user } = call
    const { seal } = node.store
    return writeExclusively(call, (write) =>
      write((t) => {
        const anchor = delegates.find(t, seal, t.account, marker.relId)
        if (anchor?.status !== 'active') throw new Failure('delegation-not-active')
        if (!isSameIdentity(marker.delegate, anchor.delegate)) throw new Failure('delegation-delegate-mismatch')
        const { access, token } = provideToken(node, t, anchor)
        delegates.put(t, seal, { ...anchor, patAccessId: access.id, lastTokenIssuedAt: node.clock.now() })
        return { token: token.reveal(), apiEndpoint: apiEndpoint(node, user.username, token.reveal()) }
      }),
    )
  },
})

/** Returns the delegate's access with a live session. The token lasts as long as the session, the access is permanent. */
function provideToken(node: Context, t: Transaction, { relId, delegate }: Delegate): LiveAccess {
  const now = node.clock.now()
  const name = `delegation:${delegate.username}@${delegate.hostSlug}`
  const found = findPersonalAccess(t, node.store.seal, t.account, name)
  const isOwn = found !== undefined && markerOf(found.access)?.relId === relId
  // A login under this name, or a leftover of an earlier relationship, must not be reused.
  if (found !== undefined && !isOwn) revoke(node, t, found, now)
  const former = isOwn ? found : undefined
  const expires = former === undefined ? undefined : sessionExpiry(t, t.account, former.access.id)
  const isLive = former !== undefined && expires !== undefined && expires > now
  const live = isLive ? former : putManaged(node, t, { type: 'personal', name }, { kind: 'delegate-pat', relId, delegate }, former)
  putSession(t, live.access.id, sessionEnd(node, now))
  return live
}

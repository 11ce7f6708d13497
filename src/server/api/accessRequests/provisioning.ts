/** Creates the access granted to an app, and the answer sent to the app. */
import { listManaged, type LiveAccess } from '../../../store/accesses/accesses.js'
import { isExpired } from '../../../store/model/access.js'
import type { Accepted, AccessRequest, DelegationHint, InviteOutcome } from '../../../store/model/accessRequest.js'
import { inheritedMarker } from '../../../store/model/delegation.js'
import { Secret } from '../../../store/model/secret.js'
import { accessOfName, isEqualAccess } from '../accesses/appAccess.js'
import { create } from '../accesses/create.js'
import { remove } from '../accesses/delete.js'
import { createAccess } from '../accesses/createAccess.js'
import { endReplaced } from '../accesses/replace.js'
import { apiEndpoint } from '../../config/apiEndpoint.js'
import { withTrail } from '../../dispatch/call.js'
import { writeExclusively, withinQuota } from '../../dispatch/accountWrite.js'
import type { Call } from '../../call/method.js'
import { measureFirst } from '../../dispatch/quota.js'
import { accessOf } from './offer.js'
import type { OfferEntry } from './offerEntry.js'
import { assertDecidable } from './copies.js'
import type { AccessRequestDeps } from './requests.js'
import type { PeerDeps } from '../consents/delivery/peerClient.js'

/** Entries and consents granted to an app. */
export interface GrantedEntries {
  entries: readonly OfferEntry[]
  /** Outcomes of the consents requested along with the access. */
  outcomes: readonly InviteOutcome[]
}

/**
 * Returns the app's access: an identical existing one, or a new one that replaces it. `atEnd` runs inside the transaction;
 * an error thrown there rolls it back.
 * @throws everything accesses.create throws
 */
export async function provideAccess(
  call: Call<AccessRequestDeps & PeerDeps>,
  request: AccessRequest,
  { entries, outcomes }: GrantedEntries,
  atEnd: () => void = () => {},
): Promise<{ live: LiveAccess; isNew: boolean }> {
  const { account, node } = call
  const permissions = entries.map(({ permission }) => permission)
  const making = withTrail(call, create)
  await measureFirst(call)
  return writeExclusively(making, async (write) => {
    const former = accessOfName(call, request)
    const isAlive = former !== undefined && !isExpired(former.access, node.clock.now())
    if (isAlive && isEqualAccess(former, permissions, request.clientData)) return { live: former, isNew: false }
    const managed = former === undefined ? [] : await listManaged(account, node.store.seal, former.access.id)
    const removing = former === undefined ? undefined : withTrail(call, remove).trail
    try {
      const live = await write(
        withinQuota(making, (t) => {
          if (former !== undefined) endReplaced(making, t, former, managed)
          const created = createAccess(making, t, 'app', accessOf(request, entries.map(({ asked: input }) => input)))
          // Check the request before writing to disk.
          assertDecidable(node, request, acceptance(call, request, created.token.reveal(), outcomes))
          removing?.stage(t)
          atEnd()
          return created
        }),
      )
      removing?.succeeded()
      making.trail?.succeeded()
      return { live, isNew: true }
    } catch (error) {
      if (!(error instanceof Rehearsed)) making.trail?.failed(error)
      throw error
    }
  })
}

/** Rolls back a rehearsal. */
class Rehearsed extends Error {}

/**
 * Checks that the access can be created and the answer accepted, then rolls back: failures must show before others are notified.
 * @throws what `provideAccess` and the answer would throw
 */
export async function rehearse(call: Call<AccessRequestDeps & PeerDeps>, request: AccessRequest, grants: GrantedEntries): Promise<void> {
  try {
    const { live } = await provideAccess(call, request, grants, () => {
      throw new Rehearsed()
    })
    assertDecidable(call.node, request, acceptance(call, request, live.token.reveal(), grants.outcomes))
  } catch (error) {
    if (!(error instanceof Rehearsed)) throw error
  }
}

/** Returns the answer to an app that was granted access. */
export function acceptance(call: Call, { cmcInvites }: AccessRequest, token: string, outcomes: readonly InviteOutcome[]): Accepted {
  const { node, user: { username } } = call
  const delegation = hintOf(call)
  return {
    status: 'ACCEPTED',
    username,
    apiEndpoint: new Secret(apiEndpoint(node, username, token)),
    grant: { token: new Secret(token) },
    ...(delegation === undefined ? {} : { delegation }),
    ...(cmcInvites === undefined ? {} : { cmcInvites: [...outcomes] }),
  }
}

/** Returns the delegation hint when a delegate acts for the account; undefined for its owner. */
function hintOf({ caller, user: { username } }: Call): DelegationHint | undefined {
  const marker = inheritedMarker(caller.access)
  if (marker?.kind !== 'delegated-child') return undefined
  return { isDelegatedAccess: true, controlledUsername: username, delegate: { ...marker.delegate } }
}

/** Making the access that an app is given, and the answer that tells the app of it. */
import { listManaged, type LiveAccess } from '../../store/accesses/accesses.js'
import { isExpired } from '../../store/model/access.js'
import type { Accepted, AccessRequest, DelegationHint, InviteOutcome } from '../../store/model/accessRequest.js'
import { inheritedMarker } from '../../store/model/delegation.js'
import { Secret } from '../../store/model/secret.js'
import { accessOfName, isEqualAccess } from '../accesses/appAccess.js'
import { create } from '../accesses/create.js'
import { remove } from '../accesses/delete.js'
import { createAccess } from '../accesses/createAccess.js'
import { endReplaced } from '../accesses/replace.js'
import { apiEndpoint } from '../apiEndpoint.js'
import { withTrail } from '../call.js'
import { writeExclusively, withinQuota } from '../accountWrite.js'
import type { Call } from '../method.js'
import { measureFirst } from '../quota.js'
import { accessOf } from './offer.js'
import type { OfferEntry } from './offerEntry.js'

/** What an app is to be given. */
export interface GrantedEntries {
  entries: readonly OfferEntry[]
  /** What came of the consents that it asked for along with it. */
  outcomes: readonly InviteOutcome[]
}

/**
 * The access that the app is to have: as it is there, or made, in place of one that differs. `atEnd` runs in the transaction
 * that makes it: what it throws undoes that.
 * @throws what accesses.create throws
 */
export async function provideAccess(
  call: Call,
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
          const made = createAccess(making, t, 'app', accessOf(request, entries.map(({ asked: input }) => input)))
          // Refused before anything is on disk, as far as that can be known.
          node.accessRequests.refuseUndecidable(request.key, acceptance(call, request, made.token.reveal(), outcomes))
          removing?.stage(t)
          atEnd()
          return made
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

/** Undoes what was only tried. */
class Rehearsed extends Error {}

/**
 * Tries whether the access can be made and the answer taken, and leaves everything as it is: for what must not be found out
 * once others were told.
 * @throws what `provideAccess` and the answer would throw
 */
export async function rehearse(call: Call, request: AccessRequest, grants: GrantedEntries): Promise<void> {
  try {
    const { live } = await provideAccess(call, request, grants, () => {
      throw new Rehearsed()
    })
    call.node.accessRequests.refuseUndecidable(request.key, acceptance(call, request, live.token.reveal(), grants.outcomes))
  } catch (error) {
    if (!(error instanceof Rehearsed)) throw error
  }
}

/** The answer of an app that was given access. */
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

/** That somebody acts for the account, by what the node itself has noted of the caller; undefined for its owner. */
function hintOf({ caller, user: { username } }: Call): DelegationHint | undefined {
  const marker = inheritedMarker(caller.access)
  if (marker?.kind !== 'delegated-child') return undefined
  return { isDelegatedAccess: true, controlledUsername: username, delegate: { ...marker.delegate } }
}

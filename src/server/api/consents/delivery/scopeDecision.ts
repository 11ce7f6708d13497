/**
 * Determines the access and permissions of a decision about the scope of a relationship
 * (docs/interface/messages.md#scope-changes).
 */
import * as z from 'zod'
import { findEvent } from '../../../../store/events/events.js'
import { isExpired, type Permission } from '../../../../store/model/access.js'
import { isCmcStream } from '../../../../store/model/cmc.js'
import { counterpartyOf } from '../../../../store/model/consentAccess.js'
import type { Event } from '../../../../store/model/event.js'
import { Failure } from '../../../../store/model/failure.js'
import { checkInput } from '../../../../store/model/validation.js'
import { assertPermissionsPossible, storedPermissions } from '../../accesses/permissions.js'
import { PermissionInput } from '../../accesses/schema.js'
import { OfferedPermissions } from '../content.js'
import { objectOf, textOf } from '../objects.js'
import { channelIn, SCOPE_REQUEST } from '../types.js'
import { serves } from './relations.js'
import { failed, type Outcome, type Job } from './jobTypes.js'
import { authorAccessId, findLiveAccess } from './writers.js'

export interface ScopeDecision {
  /** Base id of the access that changes. */
  accessId: string
  /** The request that is answered. */
  request?: Event
  /** New permissions; undefined to keep the current ones. */
  permissions?: Permission[]
}

/** Evaluates an answer to a request. Recipient and permissions come from the stored request only. */
export function judgeAnswer(work: Job): ScopeDecision | Outcome {
  const { node, account, event } = work
  const { scopeRequestEventId, accept } = objectOf(event.content)
  const request = findEvent(account.db, account.prefix, textOf(scopeRequestEventId) ?? '')
  if (request?.type !== SCOPE_REQUEST) return failed('cmc-scope-request-not-found')
  const live = findLiveAccess(work, account.db, authorAccessId(request.createdBy))
  const mark = live === undefined ? undefined : counterpartyOf(live.access)
  if (live === undefined || mark === undefined) return failed('cmc-scope-request-not-from-peer')
  const [input, answered] = [request, event].map(({ streamIds }) => channelIn(streamIds, 'collectors'))
  const isSame = input !== undefined && answered !== undefined && input.peer === answered.peer && input.scope === answered.scope
  if (!isSame || !serves(mark, input.peer, input.scope)) return failed('cmc-scope-request-stream-mismatch')
  const now = node.clock.now()
  const { expires, status, newPermissions } = objectOf(request.content)
  if (typeof expires === 'number' && expires <= now) return failed('cmc-scope-request-expired')
  if (status === 'accepted' || status === 'refused') return failed('cmc-scope-request-already-answered')
  const { id: accessId } = live.access
  if (accept !== true) return { accessId, request }
  const permissions = permissionsOf(work, newPermissions)
  if (permissions === undefined || permissions.length === 0) return failed('cmc-scope-request-invalid')
  return { accessId, request, permissions }
}

/** Evaluates a change that a person makes unprompted. `servingId`: the access that serves the channel. */
export function judgeOwn(work: Job, servingId: string | undefined): ScopeDecision | Outcome {
  const { node, account, event } = work
  const { newPermissions, accessId: named } = objectOf(event.content)
  if (!Array.isArray(newPermissions)) return failed('cmc-scope-update-nothing-to-apply')
  const channel = channelIn(event.streamIds, 'collectors')
  if (channel === undefined) return failed('cmc-system-stream-not-collector')
  const live = findLiveAccess(work, account.db, textOf(named) ?? servingId ?? '')
  const mark = live === undefined || isExpired(live.access, node.clock.now()) ? undefined : counterpartyOf(live.access)
  if (live === undefined || mark === undefined) return failed('cmc-scope-update-target-not-counterparty')
  if (!serves(mark, channel.peer, channel.scope)) return failed('cmc-scope-update-target-stream-mismatch')
  const permissions = permissionsOf(work, newPermissions)
  if (permissions === undefined) return failed('cmc-insufficient-permissions')
  if (permissions.length === 0) return failed('cmc-scope-update-nothing-to-apply')
  return { accessId: live.access.id, permissions }
}

/** Converts permissions for an access, without members of forms; undefined when no access can hold them. */
function permissionsOf({ node }: Job, given: unknown): Permission[] | undefined {
  const entries = checkInput(OfferedPermissions, given)
  if (!entries.success) return undefined
  const input = checkInput(
    z.array(PermissionInput),
    entries.data.map((entry) => ('streamId' in entry ? { streamId: entry.streamId, level: entry.level } : { feature: entry.feature, setting: entry.setting })),
  )
  if (!input.success || entries.data.some((entry) => 'level' in entry && entry.level === 'none')) return undefined
  const own = input.data.filter((entry) => !('streamId' in entry && isCmcStream(entry.streamId ?? '')))
  try {
    assertPermissionsPossible({ node }, own)
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
  return storedPermissions(own)
}

/**
 * Finds the relationship of an event in a channel, and the endpoint of its other account
 * (docs/interface/consents.md#back-channel, docs/interface/messages.md#chats).
 */
import { listRelations, type LiveAccess } from '../../../../store/accesses/accesses.js'
import { isExpired } from '../../../../store/model/access.js'
import { appCodeOf } from '../../../../store/model/cmc.js'
import { counterpartyOf, peerSlug, type CounterpartyMark } from '../../../../store/model/consentAccess.js'
import { endpointOf } from '../peerNotices.js'
import type { Job } from './jobTypes.js'

export interface Relation {
  live: LiveAccess
  mark: CounterpartyMark
}

/**
 * Returns the relationship with an account, by its slug, in a scope: one of this scope, else one without a scope unless it
 * belongs to another app. Among several, prefers one that can be written to, then the newest.
 */
export async function findRelation({ node, account }: Pick<Job, 'node' | 'account'>, peer: string, scope: string): Promise<Relation | undefined> {
  const now = node.clock.now()
  const all = (await listRelations(account, node.store.seal, peer)).flatMap((live): Relation[] => {
    const mark = counterpartyOf(live.access)
    return mark === undefined || isExpired(live.access, now) ? [] : [{ live, mark }]
  })
  const ofScope = all.filter(({ mark }) => mark.scopeStreamId === scope)
  const app = appCodeOf(scope)
  const scopeless = all.filter(({ mark }) => mark.scopeStreamId === undefined && (mark.appCode === undefined || mark.appCode === app))
  return (ofScope.length > 0 ? ofScope : scopeless).reduce<Relation | undefined>(better, undefined)
}

function better(best: Relation | undefined, other: Relation): Relation {
  if (best === undefined) return other
  const isReached = ({ mark }: Relation): boolean => endpointOf(mark) !== undefined
  if (isReached(best) !== isReached(other)) return isReached(best) ? best : other
  return other.live.access.created > best.live.access.created ? other : best
}

/** Checks whether an access serves the channels with an account in a scope. */
export const serves = ({ scopeStreamId, counterparty }: CounterpartyMark, peer: string, scope: string): boolean =>
  peerSlug(counterparty) === peer && (scopeStreamId === undefined || scopeStreamId === scope)

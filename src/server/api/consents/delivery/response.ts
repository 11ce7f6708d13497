/**
 * Responses to a link, on the account that made the offer (docs/interface/consents.md#back-channel,
 * docs/interface/consents.md#refusal).
 */
import { findLink, listRelations } from '../../../../store/accesses/accesses.js'
import type { Transaction } from '../../../../store/engine/account.js'
import { addEvent, findEvent, isEventIdTaken } from '../../../../store/events/events.js'
import { appCodeOf, appStreamOf, capabilityOfResponses, channelStreamOf, CMC_INBOX, offerStreamOf, scopeOf, type CmcIdentity } from '../../../../store/model/cmc.js'
import { capabilityOf, counterpartyOf, isSameAccount, peerSlug, type CapabilityMark, type CounterpartyMark } from '../../../../store/model/consentAccess.js'
import type { Event } from '../../../../store/model/event.js'
import { apiEndpoint } from '../../../config/apiEndpoint.js'
import { ensureChannels, namedScope } from '../channels.js'
import { identityOf } from '../identity.js'
import { objectOf, textOf } from '../objects.js'
import { grantedEndpoint, senderOf } from '../response.js'
import { stampEvent } from '../stamp.js'
import { BACK_CHANNEL } from '../types.js'
import { withIntegrity } from '../../shared/integrity.js'
import { ChannelRefused, putBackChannel, type BackChannel } from './backChannelAccess.js'
import { deliver, messageId } from './peerClient.js'
import { undelivered } from './undelivered.js'
import { failed, type Outcome, type Job } from './jobTypes.js'

/** Invite statuses from which an accept proceeds; a refusal is not recorded again. */
const ACCEPTABLE: readonly unknown[] = ['pending', 'delivered', 'refused']
const REFUSABLE: readonly unknown[] = ['pending', 'delivered']

/**
 * Processes an accept whose sender was verified beforehand. Creates the back channel, the copy in the inbox and the invite in one
 * transaction, then notifies the other account.
 */
export async function accepted(work: Job): Promise<Outcome> {
  const { node, user, event } = work
  const from = senderOf(event.content)
  const endpoint = grantedEndpoint(event.content)
  const own = identityOf(node, user.username)
  if (from === undefined || isSameAccount(from, own)) return failed('cmc-handler-counterparty-unknown')
  if (endpoint === undefined) return failed('cmc-handler-no-apiendpoint')
  let back: BackChannel
  try {
    back = await related(work, from, endpoint)
  } catch (error) {
    if (error instanceof ChannelRefused) return failed('cmc-back-channel-create-failed', { cause: error.message })
    throw error
  }
  const { scope } = back
  const [chat, collector] = channelsTo(scope, from)
  const appCode = appCodeOf(scope)
  const answer = await deliver(work, endpoint, {
    id: messageId('back-channel', own.username, own.host, event.id),
    streamIds: [CMC_INBOX],
    type: BACK_CHANNEL,
    content: {
      from: own,
      apiEndpoint: apiEndpoint(node, user.username, back.token.reveal()),
      remoteChatStreamId: chat,
      remoteCollectorStreamId: collector,
      ...(appCode === undefined ? {} : { appCode }),
      scopeStreamId: scope,
    },
  })
  return answer.is === 'taken' ? { is: 'completed' } : undelivered(answer)
}

const channelsTo = (scope: string, peer: CmcIdentity): [chat: string, collector: string] => [
  channelStreamOf(scope, 'chats', peerSlug(peer)),
  channelStreamOf(scope, 'collectors', peerSlug(peer)),
]

/** Stages everything on this account; a retry finds the existing entries. */
async function related(work: Job, from: CmcIdentity, endpoint: string): Promise<BackChannel> {
  const { node, account, user, event } = work
  const own = identityOf(node, user.username)
  const mirrorId = messageId('mirror', event.id)
  return account.exclusively(async (write) => {
    const relations = await listRelations(account, node.store.seal, peerSlug(from))
    return write((t) => {
      const mark = linkOf(work, t)
      const scope = scopeOfAnswer(work, t, mark)
      const isDone = isEventIdTaken(t, account.prefix, mirrorId)
      const former = relations.find(({ access }) => counterpartyOf(access)?.scopeStreamId === scope && isBack(access))
      if (isDone && former !== undefined) return { scope, accessId: former.access.id, token: former.token }
      if (isDone) throw new ChannelRefused('the relationship has ended')
      ensureChannels({ node, account, author: 'system' }, t, scope, from)
      const [chat, collector] = channelsTo(scope, own)
      const { features, originalEventId } = objectOf(event.content)
      const appCode = appCodeOf(scope)
      const offerEventId = textOf(originalEventId)
      const wanted: CounterpartyMark = {
        role: 'counterparty',
        ...(appCode === undefined ? {} : { appCode }),
        scopeStreamId: scope,
        ...(mark === undefined ? {} : { capabilityId: mark.capabilityId }),
        ...(mark?.requestEventId === undefined ? {} : { inviteEventId: mark.requestEventId }),
        ...(offerEventId === undefined ? {} : { offerEventId }),
        features: typeof features === 'object' && features !== null ? objectOf(features) : null,
        counterparty: { ...from, apiEndpoint: endpoint, remoteChatStreamId: chat, remoteCollectorStreamId: collector },
      }
      const back = putBackChannel(node, t, wanted, former)
      mirror(work, t, mirrorId, from, back.accessId, mark?.requestEventId)
      if (mark?.singleUse === true) noteOnInvite(work, t, mark, from, back.accessId)
      return { scope, ...back }
    })
  })
}

/** Accesses for reading data of the other account differ from those for messages. */
const isBack = (access: Parameters<typeof counterpartyOf>[0]): boolean => counterpartyOf(access)?.acceptEventId === undefined

function linkOf({ node, account, event }: Job, t: Transaction): CapabilityMark | undefined {
  const capabilityId = capabilityOfResponses(event.streamIds[0] ?? '')
  const link = capabilityId === undefined ? undefined : findLink(t, node.store.seal, account.prefix, capabilityId)
  return link === undefined ? undefined : capabilityOf(link.access)
}

/** Returns the stream of the relationship: that of this account's offer or invite, or the peer's claim if the offer is gone. */
function scopeOfAnswer({ account, event }: Job, t: Transaction, mark: CapabilityMark | undefined): string {
  const { originalEventId, requesterOriginStreamId, requesterAppCode } = objectOf(event.content)
  const capabilityId = capabilityOfResponses(event.streamIds[0] ?? '') ?? ''
  const offer = findEvent(t, account.prefix, textOf(originalEventId) ?? '')
  const isOffer = offer?.streamIds.includes(offerStreamOf(capabilityId)) === true
  const offered = isOffer ? namedScope(objectOf(offer.content)['originStreamId']) : undefined
  const invite = mark?.requestEventId === undefined ? undefined : findEvent(t, account.prefix, mark.requestEventId)
  const own = offered ?? scopeOf(invite?.streamIds ?? [])
  return own ?? namedScope(requesterOriginStreamId) ?? namedScope(appStreamOf(textOf(requesterAppCode) ?? '')) ?? appStreamOf('app')
}

/** Stages a copy of the accept in the inbox for the account's apps, with the peer's identity and the endpoint of its data. */
function mirror({ node, event }: Job, t: Transaction, id: string, from: CmcIdentity, backChannelAccessId: string, inviteEventId: string | undefined): void {
  const now = node.clock.now()
  const { type, createdBy } = event
  const content = { ...objectOf(event.content), from, backChannelAccessId, ...(inviteEventId === undefined ? {} : { inviteEventId }) }
  const copy: Event = {
    ...{ id, streamIds: [CMC_INBOX], type, time: now, tags: [], content },
    ...{ created: now, createdBy, modified: now, modifiedBy: createdBy },
  }
  addEvent(t, node.store.recorder, withIntegrity({ node }, copy))
}

function noteOnInvite({ node, account }: Job, t: Transaction, mark: CapabilityMark, from: CmcIdentity, backChannelAccessId: string): void {
  const invite = findEvent(t, account.prefix, mark.requestEventId ?? '')
  if (invite === undefined || !ACCEPTABLE.includes(objectOf(invite.content)['status'])) return
  const { username, host } = from
  stampEvent(node, t, invite.id, {
    ...{ status: 'accepted', acceptedBy: { username, host }, acceptedAt: node.clock.now(), backChannelAccessId },
    ...{ refusedBy: undefined, refusedAt: undefined, reason: undefined },
  })
}

/** Records a refusal on the invite of a single-use link, until somebody accepts it after all. */
export async function refused(work: Job): Promise<Outcome> {
  const { node, account, event } = work
  const from = senderOf(event.content)
  if (from === undefined) return failed('cmc-handler-counterparty-unknown')
  await account.write((t) => {
    const mark = linkOf(work, t)
    const invite = mark?.singleUse === true ? findEvent(t, account.prefix, mark.requestEventId ?? '') : undefined
    if (invite === undefined || !REFUSABLE.includes(objectOf(invite.content)['status'])) return
    const { reason } = objectOf(event.content)
    stampEvent(node, t, invite.id, { status: 'refused', refusedBy: from, refusedAt: node.clock.now(), ...(reason === undefined ? {} : { reason }) })
  })
  return { is: 'completed' }
}

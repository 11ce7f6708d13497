/**
 * Consents to other accounts that an app requests along with its access (`cmcInvites`;
 * docs/interface/access-requests.md#invitations): reads the offers before the person decides.
 */
import { listRelations } from '../../../store/accesses/accesses.js'
import { findEvent } from '../../../store/events/events.js'
import { isExpired } from '../../../store/model/access.js'
import type { AccessRequest, Invite } from '../../../store/model/accessRequest.js'
import type { CmcIdentity } from '../../../store/model/cmc.js'
import { counterpartyOf, isSameAccount, peerSlug } from '../../../store/model/consentAccess.js'
import { isGenuine } from '../../../store/model/delegation.js'
import type { Seconds } from '../../../store/model/event.js'
import { identityOf } from '../consents/identity.js'
import { objectOf, textOf } from '../consents/objects.js'
import { endpointParts } from '../../base/endpointParts.js'
import { grantedOf } from '../consents/delivery/offered.js'
import type { OfferRead } from '../consents/delivery/offer.js'
import { formOf, MalformedOffer, type OfferForm } from '../consents/delivery/offerForm.js'
import { recentOffer } from '../consents/delivery/recentOffer.js'
import { unreadableOffer } from '../consents/delivery/undelivered.js'
import type { Call } from '../../call/method.js'
import { entriesOfForm } from './offeredEntries.js'
import type { OfferEntry } from './offerEntry.js'
import type { PeerDeps } from '../consents/delivery/peerClient.js'

/** Reason ids sent to apps when a mandatory consent was refused or failed (docs/interface/access-requests.md#invitations). */
export const CONSENT_REFUSED = 'REFUSED_MANDATORY_CONSENT'
export const CONSENT_FAILED = 'MANDATORY_CONSENT_FAILED'

/** Reason why a delegate cannot consent for the controlled account. */
export const OWNER_ONLY = 'delegation-grant-requires-owner'

/** Calls of the accounts that may consent. */
export interface Deciding {
  /** Call of the person who answers. */
  person: Call<PeerDeps>
  /** Call of the account that the app gets access to: the same, unless the person acts for it. */
  target: Call<PeerDeps>
}

/** Contents of an offer. Texts are by language, in the other account's words. */
export interface InviteOffer {
  asker: CmcIdentity
  displayName?: string
  /** Host of the link. The consent is sent there, whatever the requester claims to be. */
  host: string
  texts: Pick<OfferForm, 'title' | 'description' | 'consent'>
  allowsChoice: boolean
  entries: OfferEntry[]
  features: { chat: boolean; systemMessaging: boolean }
  /** True when the grantee may share the access with others. */
  isDelegable: boolean
}

/** A consent given earlier. */
interface EarlierConsent {
  at: Seconds
  acceptEventId: string
  dataGrantAccessId: string
}

/** An invitation as presented to a person. */
export interface OfferedInvite {
  /** Its number in the request, from 1. */
  id: string
  isRequired: boolean
  /** The account that would consent. */
  username: string
  /** Absent when the offer is unreadable or invalid. */
  offer?: InviteOffer
  given?: EarlierConsent
  /** Reason why it cannot be accepted, as reported to the app. */
  problem?: string
  /** True when the problem may be temporary. */
  isTemporary?: true
}

/** Returns the call of the account an invitation is addressed to. */
export const callFor = ({ person, target }: Deciding, invite: Invite): Call<PeerDeps> => (invite.for === 'target' ? target : person)

/** Reads the invitations of a request, their offers in parallel. Never rejects because of an invitation. */
export function invitesFor(deciding: Deciding, { cmcInvites = [] }: AccessRequest): Promise<OfferedInvite[]> {
  return Promise.all(cmcInvites.map((invite, at) => offeredInvite(callFor(deciding, invite), invite, String(at + 1))))
}

async function offeredInvite(call: Call<PeerDeps>, { capabilityUrl, mandatory }: Invite, id: string): Promise<OfferedInvite> {
  const invite = { id, isRequired: mandatory, username: call.user.username }
  const read = await recentOffer(call.node, capabilityUrl)
  if (!read.ok) {
    const came = unreadableOffer(read)
    const isTemporary = came.is === 'failed' && came.mayRetry
    return { ...invite, problem: read.reason, ...(isTemporary ? { isTemporary } : {}) }
  }
  await call.account.settledStructure()
  const offer = offerIn(call, read, capabilityUrl)
  if (typeof offer === 'string') return { ...invite, problem: offer }
  const existing = await findEarlierConsent(call, read)
  if (existing !== undefined) return { ...invite, offer, given: existing }
  const problem = problemOf(call, read.content, offer)
  return { ...invite, offer, ...(problem === undefined ? {} : { problem }) }
}

type ReadableOffer = Extract<OfferRead, { ok: true }>
type Content = ReadableOffer['content']

/** Parses an offer; returns a reason id when it is invalid. */
function offerIn({ account }: Call, { content, requester: asker }: ReadableOffer, capabilityUrl: string): InviteOffer | string {
  const base = endpointParts(capabilityUrl)?.base
  if (base === undefined) return 'cmc-handler-counterparty-unknown'
  const { features, accessType = 'shared' } = objectOf(content['request'])
  if (accessType !== 'shared' && accessType !== 'app') return 'cmc-offer-invalid-access-type'
  const displayName = textOf(objectOf(content['requesterMeta'])['displayName'])
  const has = (name: string): boolean => objectOf(features)[name] !== false
  try {
    const form = formOf(content)
    const { title, description, consent } = form
    return {
      asker,
      ...(displayName === undefined ? {} : { displayName }),
      host: new URL(base).host,
      texts: { ...(title && { title }), ...(description && { description }), ...(consent && { consent }) },
      allowsChoice: form.allowUserChoice,
      entries: entriesOfForm(account.tree, form),
      features: { chat: has('chat'), systemMessaging: has('systemMessaging') },
      isDelegable: accessType === 'app',
    }
  } catch (error) {
    if (error instanceof MalformedOffer) return 'cmc-offer-invalid-permissions'
    throw error
  }
}

/** Returns why the account cannot consent, as far as known without contacting the other account. */
function problemOf(call: Call, content: Content, { asker }: InviteOffer): string | undefined {
  if (isSameAccount(identityOf(call.node, call.user.username), asker)) return 'cmc-self-accept-forbidden'
  if (!isGenuine(call.caller.access)) return OWNER_ONLY
  const whole = grantedOf(call, content, undefined)
  return 'is' in whole && whole.is === 'failed' ? whole.reason : undefined
}

/** Finds a valid consent to the offer that the account has given and delivered. */
export async function findEarlierConsent({ account, node }: Pick<Call, 'account' | 'node'>, read: ReadableOffer): Promise<EarlierConsent | undefined> {
  for (const { access } of await listRelations(account, node.store.seal, peerSlug(read.requester))) {
    const { offerEventId, acceptEventId } = counterpartyOf(access) ?? {}
    if (offerEventId !== read.eventId || acceptEventId === undefined || isExpired(access, node.clock.now())) continue
    const { status } = objectOf(findEvent(account.db, account.prefix, acceptEventId)?.content)
    if (status === 'completed') return { at: access.created, acceptEventId, dataGrantAccessId: access.id }
  }
  return undefined
}

/** Capability links to offers: an access that reads one event and writes answers to it (docs/interface/consents.md#links). */
import { accessNamed, putAccess, type LiveAccess } from '../../../store/accesses/accesses.js'
import type { Transaction } from '../../../store/engine/account.js'
import { addEvent } from '../../../store/events/events.js'
import type { Access } from '../../../store/model/access.js'
import { CMC_INTERNAL, offerStreamOf, responsesStreamOf, scopeOf } from '../../../store/model/cmc.js'
import { CMC, capabilityOf, type CapabilityMark, type CapabilityState } from '../../../store/model/consentAccess.js'
import type { Event } from '../../../store/model/event.js'
import { Failure } from '../../../store/model/failure.js'
import { Secret } from '../../../store/model/secret.js'
import { withAccessIntegrity, withIntegrity } from '../shared/integrity.js'
import { apiEndpoint } from '../../config/apiEndpoint.js'
import type { Call } from '../../call/method.js'
import type { Context } from '../../call/context.js'
import { identityOf } from './identity.js'
import { objectOf } from './objects.js'
import { ensureStream } from './streams.js'

const DEFAULT_SECONDS = 7 * 86_400
const MIN_SECONDS = 60
/** For single-use links. */
const MAX_SECONDS = 30 * 86_400

type Content = Record<string, unknown>

/** Members of the owner's event that are not copied to the published offer. */
const OWN_MEMBERS = ['capabilityRequested', 'capabilityUrl', 'capabilityExpiresAt', 'capabilityAccessId', 'status', 'failure']

/**
 * Stages a link to the offer in `trigger`: its two streams, the offer, the access. Returns the new content of the trigger.
 * @throws Failure `invalid-operation` for an expiry that links cannot have
 */
export function mintCapability(call: Call, t: Transaction, trigger: Event): Content {
  const { node, user, author } = call
  const content = objectOf(trigger.content)
  const mode = objectOf(content['capability'])['mode'] === 'open-link' ? 'open-link' : 'single-use'
  const now = node.clock.now()
  const expires = expiryOf(objectOf(content['request'])['expiresAt'], mode, now)
  const capabilityId = node.newId()
  const [offers, responses] = [offerStreamOf(capabilityId), responsesStreamOf(capabilityId)]
  const named = [
    [offers, 'offer', 'capability-offer'],
    [responses, 'responses', 'capability-responses'],
  ] as const
  for (const [id, name, kind] of named) {
    ensureStream(call, t, {
      ...{ id, name: `CMC capability ${name} ${capabilityId}`, parentId: CMC_INTERNAL },
      clientData: { cmc: { kind, capabilityId } },
    })
  }
  const { username: requesterUsername, host: requesterHost } = identityOf(node, user.username)
  const originStreamId = scopeOf(trigger.streamIds)
  const offered = Object.fromEntries(Object.entries(content).filter(([key]) => !OWN_MEMBERS.includes(key)))
  const tracking = { created: now, createdBy: author, modified: now, modifiedBy: author }
  const offer: Event = {
    ...{ id: node.newId(), streamIds: [offers], type: trigger.type, time: now, tags: [], ...tracking },
    content: { ...offered, capabilityId, ...(originStreamId === undefined ? {} : { originStreamId }), requesterUsername, requesterHost },
  }
  addEvent(t, node.store.recorder, withIntegrity(call, offer))
  const mark: CapabilityMark = {
    kind: 'capability',
    capabilityId,
    requestEventId: trigger.id,
    singleUse: mode === 'single-use',
    capability: { mode, state: 'open', stateChangedAt: now },
  }
  const access: Access = {
    id: node.newId(),
    type: 'shared',
    name: freeName(t, capabilityId),
    permissions: [
      { streamId: offers, level: 'read' },
      { streamId: responses, level: 'create-only' },
    ],
    clientData: { [CMC]: { ...mark } },
    ...(expires === undefined ? {} : { expires }),
    ...tracking,
  }
  const token = new Secret(node.newId())
  putAccess(t, node.store.seal, withAccessIntegrity(node, access, token), token)
  return {
    ...content,
    capabilityUrl: apiEndpoint(node, user.username, token.reveal()),
    capabilityExpiresAt: expires ?? null,
    capabilityAccessId: access.id,
    capabilityId,
    status: 'pending',
  }
}

const NAME_LENGTH = 8

/** Returns an unused name for the access of a link; lengthens the id part until it is free. */
function freeName(t: Transaction, capabilityId: string): string {
  for (let length = NAME_LENGTH; ; length++) {
    const name = `__cmc-cap-${capabilityId.slice(0, length)}`
    if (length >= capabilityId.length || accessNamed(t, t.account, { type: 'shared', name }) === undefined) return name
  }
}

/** Returns the expiry of a link in seconds; undefined: never. */
function expiryOf(input: unknown, mode: CapabilityMark['capability']['mode'], now: number): number | undefined {
  if (input === null && mode === 'open-link') return undefined
  if (input === null) {
    throw new Failure('invalid-operation', 'A single-use link must expire.', { id: 'cmc-capability-no-expiry-not-allowed' })
  }
  if (typeof input !== 'number') return now + DEFAULT_SECONDS
  const seconds = input - now
  if (seconds >= MIN_SECONDS && (mode === 'open-link' || seconds <= MAX_SECONDS)) return input
  throw new Failure('invalid-operation', 'The lifetime of the link is too long or too short.', {
    id: 'cmc-capability-ttl-out-of-range',
    mode,
    expiresAt: input,
    computedTtlSeconds: seconds,
    minTtlSeconds: MIN_SECONDS,
    maxTtlSeconds: mode === 'open-link' ? null : MAX_SECONDS,
  })
}

/** Sets the state of a link. Its version is unchanged, since the owner made no change. */
export function moveCapability(node: Context, t: Transaction, { access, token }: LiveAccess, state: CapabilityState): void {
  const mark = capabilityOf(access)
  if (mark === undefined || mark.capability.state === state) return
  const now = node.clock.now()
  const moved: CapabilityMark = { ...mark, capability: { ...mark.capability, state, stateChangedAt: now } }
  const after: Access = { ...access, clientData: { ...access.clientData, [CMC]: { ...moved } }, modified: now, modifiedBy: 'system' }
  putAccess(t, node.store.seal, withAccessIntegrity(node, after, token), token, { access, token })
}

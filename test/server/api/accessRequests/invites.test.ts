/**
 * Invitations to consents with other accounts, within an access request (docs/interface/access-requests.md#invitations): their
 * outcomes, notifications and rollback.
 */
import { describe, expect, it, vi } from 'vitest'
import { approve } from '../../../../src/server/api/accessRequests/approval.js'
import type { InviteAnswers } from '../../../../src/server/api/accessRequests/inviteAnswers.js'
import { inviteTexts } from '../../../../src/server/api/accessRequests/inviteWords.js'
import { offerFor, type Offer } from '../../../../src/server/api/accessRequests/offer.js'
import { callWith } from '../../../../src/server/dispatch/call.js'
import { rollBack } from '../../../../src/server/api/consents/delivery/rollback.js'
import type { Call } from '../../../../src/server/call/method.js'
import { terminalCall } from '../../../../src/server/dispatch/terminalCaller.js'
import { counterpartyOf } from '../../../../src/store/model/consentAccess.js'
import { Failure } from '../../../../src/store/model/failure.js'
import { gist, heart, keyOf, pollOf } from '../../../support/people/accessRequests.js'
import { attach, delegateToken } from '../../../support/people/delegations.js'
import { request } from '../../../support/nodes/node.js'
import { newStage, type Stage } from '../../../support/http/methodTable.js'
import { withNode } from '../../../support/nodes/started.js'
import { APP, contentOf, inStream, invite, newRequester, offering, deliverDue, relationsOf, streamIdsOf, write } from '../consents/consentFlow.js'
import type { Node } from '../../../../src/server/index.js'

type Json = Record<string, unknown>
const node = withNode()
const yes = { agrees: true, kept: [] }
const no = { agrees: false, kept: [] }
/** Link without token: the node makes no request for it. */
const DEAD = 'https://gone.example/link'

async function callOf({ node: { node }, username }: Stage): Promise<Call<Node>> {
  const loaded = await node.accounts.find(username)
  if (loaded === undefined) throw new Error('no user')
  return terminalCall(node, loaded)
}

interface InviteLink {
  url: string
  id: string
}

async function linkOf(alice: Stage, requested?: Json): Promise<InviteLink> {
  const { id, content } = await invite(alice, offering(requested))
  return { url: String(content['capabilityUrl']), id }
}

const consumedLink = async (alice: Stage): Promise<InviteLink> => {
  const link = await linkOf(alice)
  await write(await newStage(node()), 'consent/accept-cmc', { capabilityUrl: link.url }, APP)
  await deliverDue(node())
  return link
}

interface OfferedRequest {
  key: string
  call: Call<Node>
  offer: Offer
}

async function offeredRequest(bob: Stage, cmcInvites: Json[], more: Json = {}): Promise<OfferedRequest> {
  const key = await keyOf(node(), { cmcInvites, ...more })
  const call = await callOf(bob)
  return { key, call, offer: await offerFor(call, node().node.accessRequests.find(key)) }
}

const both = async (): Promise<{ alice: Stage; bob: Stage }> => ({ alice: await newRequester(node()), bob: await newStage(node()) })

const appsOf = async (stage: Stage): Promise<unknown[]> =>
  ((await stage.arrange('accesses.get', {}))['accesses'] as Json[]).filter(({ type }) => type === 'app').map(({ name }) => name)
const grantsOf = async (stage: Stage): Promise<unknown[]> => (await relationsOf(stage)).map(({ access }) => access.name)
const statusOf = async (alice: Stage, { id }: InviteLink): Promise<unknown> => (await contentOf(alice, id))['status']
const failureOf = (call: Call<Node>, key: string, answers: InviteAnswers): Promise<unknown> =>
  approve(call, key, [], { answers }).then(
    () => 'approved',
    ({ id, data }: { id: string; data?: Json }) => [id, data?.['invite'], data?.['reason']].filter((part) => part !== undefined),
  )

describe('an invitation', () => {
  it('is presented in the language of the user, with the requester and the requested data', async () => {
    const { alice, bob } = await both()
    const choice = { allowUserChoice: true, permissions: [{ streamId: 'diary', level: 'read', mandatory: true }, { streamId: 'mood', level: 'read', optIn: true }] }
    const { url } = await linkOf(alice, { title: { en: 'Study', fr: 'Étude' }, ...choice })
    const { offer } = await offeredRequest(bob, [{ capabilityUrl: url, mandatory: true }])
    const [text] = inviteTexts(offer.invites, 'fr')
    expect(text).toMatchObject({
      ...{ id: '1', isRequired: true, isOpen: true, title: 'Dr A demande un consentement' },
      theirs: { title: 'Étude', about: ['What it is about'], consent: ['I agree'] },
      rows: [
        { id: 'diary', what: 'lire « diary »', isLocked: true, isTicked: true },
        { id: 'mood', isLocked: false, isTicked: false },
      ],
    })
    expect(text?.says).toEqual([
      expect.stringContaining(`${alice.username}@`),
      expect.stringContaining(bob.username),
    ])
  })

  it('shows a requester without display name by user name and host', async () => {
    const { alice, bob } = await both()
    const { content } = await invite(alice, { ...offering(), requesterMeta: { appId: 'study' } })
    const { offer } = await offeredRequest(bob, [{ capabilityUrl: content['capabilityUrl'] }])
    const name = `${alice.username}@${new URL(node().url).host}`
    expect(inviteTexts(offer.invites, 'en')).toMatchObject([{ title: `${name} asks for a consent` }])
  })

  it('shows texts without control characters and direction overrides', async () => {
    const { alice, bob } = await both()
    const { content } = await invite(alice, {
      ...offering({ title: { en: 'A\u202eB' }, description: { en: 'one\u0007\n\n\u200ftwo' } }),
      requesterMeta: { displayName: 'Dr \u202eA\nB', appId: 'study' },
    })
    const { offer } = await offeredRequest(bob, [{ capabilityUrl: content['capabilityUrl'] }])
    expect(inviteTexts(offer.invites, 'en')).toMatchObject([{ title: 'Dr A B asks for a consent', theirs: { title: 'AB', about: ['one', 'two'] } }])
  })
})

describe('consents of an access request', () => {
  it('are created with the access, and their outcomes are reported to the app', async () => {
    const { alice, bob } = await both()
    const [first, second] = [await linkOf(alice), await linkOf(alice)]
    const { key, call } = await offeredRequest(bob, [
      { capabilityUrl: first.url },
      { capabilityUrl: second.url, mandatory: true, accessName: 'The study' },
    ])
    await approve(call, key, [], { answers: { 1: yes, 2: yes } })
    const relations = await relationsOf(bob)
    const granted = (name: string): object => {
      const found = relations.find(({ access }) => access.name.startsWith(name))?.access
      return { acceptEventId: found && counterpartyOf(found)?.acceptEventId, dataGrantAccessId: found?.id }
    }
    const { status, body } = await pollOf(node(), key)
    expect([status, body['cmcInvites']]).toEqual([200, [granted('cmc:study'), granted('The study')]])
    expect(await appsOf(bob)).toEqual(['heart-watch'])
    await deliverDue(node())
    expect([await statusOf(alice, first), await statusOf(alice, second)]).toEqual(['accepted', 'accepted'])
    expect((await inStream(alice, ':_cmc:inbox')).length).toBe(2)
    expect((await approve(call, key, [])).isNew).toBe(false)
  })

  it('grant only the chosen permissions', async () => {
    const { alice, bob } = await both()
    const permissions = ['diary', 'mood', 'sleep'].map((streamId) => ({ streamId, level: 'read', ...(streamId === 'diary' ? { mandatory: true } : {}) }))
    const { url } = await linkOf(alice, { allowUserChoice: true, permissions })
    const { key, call } = await offeredRequest(bob, [{ capabilityUrl: url }])
    await approve(call, key, [], { answers: { 1: { agrees: true, kept: ['sleep'] } } })
    const [grant] = await relationsOf(bob)
    expect(streamIdsOf(grant?.access.permissions).slice(0, 2)).toEqual([['diary', 'read'], ['sleep', 'read']])
    expect(JSON.stringify(grant?.access.permissions)).not.toContain('mood')
  })

  it('are created once: an existing consent is reused, and so is one of two invitations with the same link', async () => {
    const { alice, bob } = await both()
    const { url } = await linkOf(alice)
    const first = await offeredRequest(bob, [{ capabilityUrl: url, mandatory: true }, { capabilityUrl: url }])
    await approve(first.call, first.key, [], { answers: { 1: yes, 2: yes } })
    const [one, two] = (await pollOf(node(), first.key)).body['cmcInvites'] as Json[]
    expect(two).toEqual(one)
    const again = await offeredRequest(bob, [{ capabilityUrl: url, mandatory: true }], { requestingAppId: 'another-app' })
    expect(again.offer).toMatchObject({ obstacles: [], invites: [{ given: one }] })
    expect(inviteTexts(again.offer.invites, 'en')[0]?.notes).toEqual([expect.stringContaining('You agreed to this on')])
    await approve(again.call, again.key, [])
    expect((await pollOf(node(), again.key)).body['cmcInvites']).toEqual([one])
    expect(await grantsOf(bob)).toHaveLength(1)
  })

  it('can be declined, which the other account is notified of', async () => {
    const { alice, bob } = await both()
    const link = await linkOf(alice)
    const { key, call } = await offeredRequest(bob, [{ capabilityUrl: link.url }, { capabilityUrl: DEAD }])
    await approve(call, key, [], { answers: { 1: no } })
    expect((await pollOf(node(), key)).body['cmcInvites']).toEqual([{ declined: true }, { reason: 'cmc-handler-offer-read-failed' }])
    await deliverDue(node())
    expect([await statusOf(alice, link), await grantsOf(bob), await appsOf(bob)]).toEqual(['refused', [], ['heart-watch']])
  })

  it('can fail without failing the request if they are optional', async () => {
    const { alice, bob } = await both()
    const { url } = await consumedLink(alice)
    const { key, call } = await offeredRequest(bob, [{ capabilityUrl: url }])
    await approve(call, key, [], { answers: { 1: yes } })
    expect((await pollOf(node(), key)).body['cmcInvites']).toEqual([{ reason: 'cmc-capability-consumed' }])
    expect([await grantsOf(bob), await appsOf(bob)]).toEqual([[], ['heart-watch']])
  })
})

describe('a mandatory consent', () => {
  it('refuses the request when it is declined, and no other consent is created', async () => {
    const { alice, bob } = await both()
    const [wanted, other] = [await linkOf(alice), await linkOf(alice)]
    const { key, call } = await offeredRequest(bob, [{ capabilityUrl: other.url }, { capabilityUrl: wanted.url, mandatory: true }])
    const { accessId } = await approve(call, key, [], { answers: { 1: yes, 2: no } })
    expect(accessId).toBeUndefined()
    const { status, body } = await pollOf(node(), key)
    expect([status, body]).toEqual([403, expect.objectContaining({ status: 'REFUSED', reasonId: 'REFUSED_MANDATORY_CONSENT' })])
    await deliverDue(node())
    expect([await statusOf(alice, wanted), await statusOf(alice, other)]).toEqual(['refused', 'pending'])
    expect([await grantsOf(bob), await appsOf(bob)]).toEqual([[], []])
  })

  it('refuses the request when it fails, and rolls back the consents created for it', async () => {
    const { alice, bob } = await both()
    const [good, optional, bad] = [await linkOf(alice), await linkOf(alice), await consumedLink(alice)]
    const { key, call } = await offeredRequest(bob, [
      { capabilityUrl: optional.url },
      { capabilityUrl: good.url, mandatory: true },
      { capabilityUrl: bad.url, mandatory: true },
    ])
    await approve(call, key, [], { answers: { 1: yes, 2: yes, 3: yes } })
    const { status, body } = await pollOf(node(), key)
    expect([status, body]).toEqual([403, expect.objectContaining({ reasonId: 'MANDATORY_CONSENT_FAILED' })])
    expect(body['message']).toContain('cmc-capability-consumed')
    await deliverDue(node())
    expect([await statusOf(alice, good), await statusOf(alice, optional)]).toEqual(['revoked', 'pending'])
    expect([await grantsOf(bob), await appsOf(bob)]).toEqual([[], []])
  })

  it.each([
    ['cannot be read', DEAD, 'cmc-handler-offer-read-failed'],
    ['is unknown to its node', undefined, 'cmc-capability-invalid'],
  ])('blocks the approval when its link %s', async (_, url, problem) => {
    const { alice, bob } = await both()
    const unknown = (await linkOf(alice)).url.replace(/\/\/[^@]+@/, '//some-token@')
    const { key, call, offer } = await offeredRequest(bob, [{ capabilityUrl: url ?? unknown, mandatory: true }])
    expect(offer).toMatchObject({ obstacles: [{ reasonId: 'MANDATORY_CONSENT_FAILED' }], invites: [{ problem }] })
    expect(await failureOf(call, key, {})).toEqual(['invalid-operation'])
    expect(gist(await pollOf(node(), key))).toEqual([201, 'NEED_SIGNIN'])
  })

  it('cannot be an invitation of the same account', async () => {
    const alice = await newRequester(node())
    const { offer } = await offeredRequest(alice, [{ capabilityUrl: (await linkOf(alice)).url, mandatory: true }])
    expect(offer).toMatchObject({ obstacles: [{}], invites: [{ problem: 'cmc-self-accept-forbidden' }] })
  })
})

describe('an approval', () => {
  const choice = { allowUserChoice: true, permissions: [{ streamId: 'diary', level: 'read' }, { streamId: 'mood', level: 'read' }] }

  it.each<[string, InviteAnswers, unknown[]]>([
    ['without an answer to an invitation', {}, ['invalid-parameters', '1']],
    ['with an answer to an unknown invitation', { 1: yes, 2: yes }, ['invalid-parameters', '2']],
    ['with no permission chosen', { 1: yes }, ['invalid-consent-grant', '1', 'empty-grant']],
    ['with a permission that is not offered', { 1: { agrees: true, kept: ['steps'] } }, ['invalid-parameters', '1']],
  ])('is refused %s, without effect on the invitation', async (_, answers, expected) => {
    const { alice, bob } = await both()
    const link = await linkOf(alice, choice)
    const { key, call } = await offeredRequest(bob, [{ capabilityUrl: link.url }])
    expect(await failureOf(call, key, answers)).toEqual(expected)
    await deliverDue(node())
    expect([await statusOf(alice, link), await grantsOf(bob), await appsOf(bob)]).toEqual(['pending', [], []])
    expect(gist(await pollOf(node(), key))).toEqual([201, 'NEED_SIGNIN'])
  })

  it('that cannot create the access has no effect on the invitation', async () => {
    const { alice, bob } = await both()
    const first = await offeredRequest(bob, [{ capabilityUrl: DEAD }], { token: 'the-same', requestingAppId: 'first-app' })
    await approve(first.call, first.key, [])
    const link = await linkOf(alice)
    const { key, call } = await offeredRequest(bob, [{ capabilityUrl: link.url, mandatory: true }], { token: 'the-same' })
    expect(await failureOf(call, key, { 1: yes })).toEqual(['item-already-exists'])
    await deliverDue(node())
    expect([await statusOf(alice, link), await grantsOf(bob), await appsOf(bob)]).toEqual(['pending', [], ['first-app']])
    const streams = (await bob.arrange('streams.get', {}))['streams'] as Json[]
    expect(streams.map(({ id }) => id)).not.toContain('diary')
  })

  it('rolls back its consents when the request can no longer be decided', async () => {
    const { alice, bob } = await both()
    const link = await linkOf(alice)
    const { key, call } = await offeredRequest(bob, [{ capabilityUrl: link.url }])
    const late = vi.spyOn(node().node.accessRequests, 'decide').mockImplementationOnce(() => {
      throw new Failure('unknown-access-key')
    })
    expect(await failureOf(call, key, { 1: yes })).toEqual(['unknown-access-key'])
    expect(late).toHaveBeenCalledOnce()
    late.mockRestore()
    await deliverDue(node())
    expect([await statusOf(alice, link), await grantsOf(bob), await appsOf(bob)]).toEqual(['revoked', [], []])
  })

  it('creates one consent when it is repeated concurrently', async () => {
    const { alice, bob } = await both()
    const { url } = await linkOf(alice)
    const { key, call } = await offeredRequest(bob, [{ capabilityUrl: url, mandatory: true }])
    const answers = { 1: yes }
    const all = await Promise.all([1, 2, 3].map(() => approve(call, key, [], { answers })))
    expect(all.map(({ isNew }) => isNew)).toEqual([true, false, false])
    expect(await grantsOf(bob)).toHaveLength(1)
  })
})

describe('a delegate', () => {
  it('can consent for their own account, but not for the controlled account', async () => {
    const { alice, bob } = await both()
    const mother = await newStage(node())
    const delegate = { username: bob.username, token: bob.owner }
    await attach(node(), { username: mother.username, token: mother.owner }, delegate)
    const token = await delegateToken(node(), delegate, mother.username)
    const loaded = await node().node.accounts.find(mother.username)
    if (loaded === undefined) throw new Error('no user')
    const person = await callOf(bob)
    const target = await callWith(node().node, person.origin, loaded, token)
    const [own, theirs] = [await linkOf(alice), await linkOf(alice)]
    const key = await keyOf(node(), { cmcInvites: [{ capabilityUrl: own.url }, { capabilityUrl: theirs.url, for: 'target' }] })
    const offer = await offerFor(target, node().node.accessRequests.find(key), person)
    expect(offer.invites).toMatchObject([{ username: bob.username }, { username: mother.username, problem: 'delegation-grant-requires-owner' }])
    await approve(target, key, [], { answers: { 1: yes }, person })
    const { body } = await pollOf(node(), key)
    expect(body).toMatchObject({
      username: mother.username,
      cmcInvites: [{ acceptedFor: 'self', acceptEventId: expect.any(String) as string }, { reason: 'delegation-grant-requires-owner' }],
    })
    expect([(await grantsOf(bob)).length, (await grantsOf(mother)).length]).toEqual([1, 0])
  })
})

describe('rolling back a consent', () => {
  it('also withdraws one that is still being established', async () => {
    const { alice, bob } = await both()
    const link = await linkOf(alice)
    const call = await callOf(bob)
    const { id } = await write(bob, 'consent/accept-cmc', { capabilityUrl: link.url }, APP)
    await rollBack(call, id)
    await deliverDue(node())
    await expect.poll(() => grantsOf(bob)).toEqual([])
    expect(await contentOf(bob, id)).toMatchObject({ withdrawal: { by: 'accesses.delete' } })
  })
})

it('an access request without invitations has no outcomes of invitations', async () => {
  const bob = await newStage(node())
  const { key, call, offer } = await offeredRequest(bob, [], { cmcInvites: undefined, requestedPermissions: [heart] })
  expect(offer.invites).toEqual([])
  await approve(call, key, [])
  const { body } = await pollOf(node(), key)
  expect(body).not.toHaveProperty('cmcInvites')
  expect((await request(`${node().url}${bob.username}/streams`, { token: String(body['token']) })).status).toBe(200)
})

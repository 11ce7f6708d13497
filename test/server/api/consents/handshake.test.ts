/** The handshake of a consent between two accounts, from the link to the back channel (docs/interface/consents.md#acceptance). */
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { initialise } from '../../../../src/server/launch/init.js'
import { counterpartyOf } from '../../../../src/store/model/consentAccess.js'
import { expectSound } from '../../../support/store/check.js'
import { fakeClock } from '../../../support/nodes/clock.js'
import { placesOf, request, startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { newStage, type Stage } from '../../../support/http/methodTable.js'
import { withNode } from '../../../support/nodes/started.js'
import { acceptLink, accountOf, APP, contentOf, inStream, invite, newRequester, offering, openLink, deliverDue, relationsOf, SCOPE, streamIdsOf, write } from './consentFlow.js'

const hostOf = (node: TestNode): string => new URL(node.url).host
const slugOf = ({ username, node }: Stage): string => `${username}--${new URL(node.url).hostname.replaceAll('.', '-')}`
const channels = (peer: Stage): [string, string] => [`${SCOPE}:chats:${slugOf(peer)}`, `${SCOPE}:collectors:${slugOf(peer)}`]
const identity = (stage: Stage): object => ({ username: stage.username, host: hostOf(stage.node) })

/** Expects the complete state of both accounts after the handshake. */
async function expectAgreed(alice: Stage, bob: Stage, requestId: string, acceptId: string): Promise<void> {
  const accept = await contentOf(bob, acceptId)
  const [grant] = await relationsOf(bob)
  const [back] = await relationsOf(alice)
  expect(accept).toMatchObject({ status: 'completed', dataGrantAccessId: grant?.access.id, from: identity(alice) })
  expect(accept['failure']).toBeUndefined()
  expect(JSON.stringify(accept)).not.toContain(grant?.token.reveal())
  const machinery = (peer: Stage): unknown[] => [[':_cmc:inbox', 'create-only'], ...channels(peer).map((id) => [id, 'contribute'])]
  expect(grant?.access).toMatchObject({ name: 'Study', type: 'shared' })
  expect(streamIdsOf(grant?.access.permissions)).toEqual([['diary', 'read'], ...machinery(alice)])
  const [aliceChat, aliceCollector] = channels(bob)
  expect(grant && counterpartyOf(grant.access)).toMatchObject({
    ...{ appCode: 'study', scopeStreamId: SCOPE, acceptEventId: acceptId, offerEventId: accept['offerEventId'] },
    backChannelApiEndpoint: `${alice.node.url.replace('://', `://${back?.token.reveal()}@`)}${alice.username}/`,
    counterparty: { ...identity(alice), remoteChatStreamId: aliceChat, remoteCollectorStreamId: aliceCollector },
    features: { chat: true },
  })
  expect(back?.access.name).toBe(`cmc-back-channel-study--${slugOf(bob)}`)
  expect(streamIdsOf(back?.access.permissions)).toEqual(machinery(bob))
  const [bobChat, bobCollector] = channels(alice)
  const grantEndpoint = `${bob.node.url.replace('://', `://${grant?.token.reveal()}@`)}${bob.username}/`
  expect(back && counterpartyOf(back.access)).toMatchObject({
    ...{ appCode: 'study', scopeStreamId: SCOPE, inviteEventId: requestId, offerEventId: accept['offerEventId'], capabilityId: accept['capabilityId'] },
    counterparty: { ...identity(bob), apiEndpoint: grantEndpoint, remoteChatStreamId: bobChat, remoteCollectorStreamId: bobCollector },
  })
  const [mirrored, ...more] = await inStream(alice, ':_cmc:inbox')
  expect(more).toEqual([])
  expect(mirrored).toMatchObject({
    type: 'consent/accept-cmc',
    content: { from: identity(bob), grantedAccess: { apiEndpoint: grantEndpoint }, backChannelAccessId: back?.access.id, inviteEventId: requestId },
  })
  const [arrived, ...others] = await inStream(bob, ':_cmc:inbox')
  expect(others).toEqual([])
  expect(arrived).toMatchObject({ type: 'consent/back-channel-cmc', createdBy: grant?.access.id })
  expect(arrived?.content).toEqual({
    ...{ from: identity(alice), apiEndpoint: `${alice.node.url}${alice.username}/`, appCode: 'study', scopeStreamId: SCOPE },
    ...{ remoteChatStreamId: aliceChat, remoteCollectorStreamId: aliceCollector },
  })
  expect(await contentOf(alice, requestId)).toMatchObject({ status: 'accepted', acceptedBy: identity(bob), backChannelAccessId: back?.access.id })
  const { status, body } = await request(`${bob.node.url}${bob.username}/events?streams[]=diary`, { token: grant?.token.reveal() ?? '' })
  expect([status, body['events']]).toEqual([200, []])
  for (const [stage, peer] of [[alice, bob], [bob, alice]] as const) {
    const { tree } = await accountOf(stage)
    for (const id of channels(peer)) expect(tree.parent(id)?.id).toBe(id.slice(0, id.lastIndexOf(':')))
  }
}

const ACCEPT = { accessName: 'Study', features: { chat: true } }

describe('two accounts of a node', () => {
  const node = withNode()

  it('agree on a consent', async () => {
    const alice = await newRequester(node())
    const bob = await newStage(node())
    const { id, content } = await invite(alice)
    const { capabilityUrl } = content
    expect(content['status']).toBe('pending')
    const written = await write(bob, 'consent/accept-cmc', { capabilityUrl, ...ACCEPT }, APP)
    expect(written.content['capabilityUrl']).toBe(`${node().url}${alice.username}/`)
    await deliverDue(node())
    await expectAgreed(alice, bob, id, written.id)
    const second = await acceptLink(await newStage(node()), capabilityUrl)
    expect(second).toMatchObject({ status: 'failed', failure: { reason: 'cmc-capability-consumed', detail: { status: 400 } } })
  })

  it('agree separately for each scope', async () => {
    const alice = await newRequester(node())
    const bob = await newStage(node())
    await alice.arrange('streams.create', { id: `${APP}:s2`, name: 'Two', parentId: APP })
    const first = await invite(alice)
    const second = await write(alice, 'consent/request-cmc', offering(), `${APP}:s2`)
    await acceptLink(bob, first.content['capabilityUrl'], ACCEPT)
    const { id } = await acceptLink(bob, second.content['capabilityUrl'], ACCEPT)
    const backs = (await relationsOf(alice)).map(({ access }) => access.name).sort()
    const firstName = `cmc-back-channel-study--${slugOf(bob)}`
    expect(backs).toEqual([firstName, expect.stringMatching(new RegExp(`^${firstName}--[0-9a-f]{12}$`))])
    expect((await relationsOf(bob)).map(({ access }) => access.name).sort()).toEqual(['Study', `Study (${String(id).slice(-8)})`])
    expect((await inStream(alice, ':_cmc:inbox')).length).toBe(2)
    const third = await invite(alice)
    await acceptLink(bob, third.content['capabilityUrl'])
    expect((await relationsOf(alice)).length).toBe(2)
  })

  it('consume a link once under concurrent acceptances', async () => {
    const alice = await newRequester(node())
    const { content, id } = await invite(alice)
    const bobs = await Promise.all(Array.from({ length: 50 }, () => newStage(node())))
    const events = await Promise.all(bobs.map((bob) => write(bob, 'consent/accept-cmc', { capabilityUrl: content['capabilityUrl'] }, APP)))
    await deliverDue(node())
    const ends = await Promise.all(bobs.map((bob, at) => contentOf(bob, events[at]?.id ?? '')))
    expect(ends.filter(({ status }) => status === 'completed').length).toBe(1)
    expect(ends.filter(({ failure }) => (failure as { reason?: string } | undefined)?.reason === 'cmc-capability-consumed').length).toBe(49)
    expect((await Promise.all(bobs.map(relationsOf))).flat().length).toBe(1)
    expect((await relationsOf(alice)).length).toBe(1)
    expect((await contentOf(alice, id))['status']).toBe('accepted')
  })

  it('can each join an open link once', async () => {
    const alice = await newRequester(node())
    const { content, id } = await invite(alice, openLink())
    const [bob, carol] = [await newStage(node()), await newStage(node())]
    for (const stage of [bob, carol]) expect(await acceptLink(stage, content['capabilityUrl'])).toMatchObject({ status: 'completed' })
    expect(await acceptLink(bob, content['capabilityUrl'])).toMatchObject({
      status: 'failed',
      failure: { reason: 'cmc-capability-already-accepted-by-you' },
    })
    expect([(await relationsOf(bob)).length, (await relationsOf(alice)).length]).toEqual([1, 2])
    expect((await contentOf(alice, id))['status']).toBe('pending')
  })
})

describe('two nodes', () => {
  it('agree although each of them is unreachable once', async () => {
    const homes = await Promise.all([0, 1].map(() => mkdtemp(join(tmpdir(), 'coffer-consent-'))))
    const [one = '', two = ''] = homes
    await Promise.all(homes.map((home) => initialise(placesOf(home))))
    const clock = fakeClock()
    let a = await startTestNode({}, { home: one, clock })
    let b = await startTestNode({}, { home: two, clock })
    const ports = { a: Number(new URL(a.url).port), b: Number(new URL(b.url).port) }
    let alice = await newRequester(a)
    let bob = await newStage(b)
    const { id, content } = await invite(alice)
    await a.stop()
    const accept = await write(bob, 'consent/accept-cmc', { capabilityUrl: content['capabilityUrl'], ...ACCEPT }, APP)
    await deliverDue(b)
    expect(await contentOf(bob, accept.id)).toMatchObject({ status: 'failed', failure: { reason: 'cmc-handler-offer-read-failed' } })
    a = await startTestNode({ 'http.port': ports.a }, { home: one, clock })
    alice = { ...alice, node: a }
    // The answer is delivered, and the back channel is not.
    const { consents } = a.node
    const { wake } = consents
    consents.wake = () => {}
    clock.pass(2)
    await deliverDue(b)
    expect(await contentOf(bob, accept.id)).toMatchObject({ status: 'completed' })
    await b.stop()
    consents.wake = wake
    await deliverDue(a)
    expect((await relationsOf(alice)).length).toBe(1)
    await a.stop()
    await expectSound(placesOf(one))
    a = await startTestNode({ 'http.port': ports.a }, { home: one, clock })
    b = await startTestNode({ 'http.port': ports.b }, { home: two, clock })
    ;[alice, bob] = [{ ...alice, node: a }, { ...bob, node: b }]
    clock.pass(700)
    await deliverDue(a)
    await expectAgreed(alice, bob, id, accept.id)
    await Promise.all([a.stop(), b.stop()])
    for (const home of homes) await expectSound(placesOf(home))
  })
})

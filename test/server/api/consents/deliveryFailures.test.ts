/**
 * Deliveries between two nodes while the receiver fails, once in each step (docs/interface/messages.md#delivery).
 */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { findTask, putTask } from '../../../../src/store/accesses/consentTasks.js'
import { Failure } from '../../../../src/store/model/failure.js'
import { expectSound } from '../../../support/store/check.js'
import { fakeClock } from '../../../support/nodes/clock.js'
import { homes } from '../../../support/nodes/home.js'
import { APP, offering, openLink, relationsOf, SCOPE } from './consentFlow.js'
import { answerOffer, retryDeliveries, withFault, newParty, startGatedNode, sendMessage, snapshotOf, type GatedNode, type Party, type Scenario, type Fault } from './deliveryScenario.js'
import { accessOf, accountOf, inInbox, inStream, deliverDue, relatedPair, writeAndDeliver, storedEvent, type Content, type RelatedPair, type StoredEvent, type Side } from './support.js'

const clock = fakeClock()
let one: GatedNode
let two: GatedNode
const { home } = homes()
beforeAll(async () => {
  one = await startGatedNode(clock)
  two = await startGatedNode(clock, { home: (await home()).home })
})
afterAll(async () => {
  for (const { gate, node } of [one, two]) {
    await node.stop()
    await gate.stop()
  }
  await expectSound(two.node.places)
})

const words = { en: 'Words' }
const reads = (...streams: string[]): object[] => streams.map((streamId) => ({ streamId, level: 'read' }))

const begin = async (fault?: Fault): Promise<Scenario> => {
  const [a, b] = [await newParty(one), await newParty(two)]
  for (const [id, parentId] of [[APP, ':_cmc:apps'], [SCOPE, APP], [`${APP}:s2`, APP]] as const) {
    await a.stage.arrange('streams.create', { id, name: id.slice(-2), parentId })
  }
  return { a, b, fault, clock }
}
const createRequest = ({ a }: Scenario, content: Content, streamId = SCOPE): Promise<StoredEvent> => writeAndDeliver(a.stage, streamId, 'consent/request-cmc', content)

/** Runs all kinds of consents and messages between two accounts. */
async function runAll(scenario: Scenario): Promise<Record<string, StoredEvent>> {
  const { a, b } = scenario
  const channel = (kind: string, peer: string): string => `${SCOPE}:${kind}:${peer}`
  const request = await createRequest(scenario, offering())
  const accept = await answerOffer(scenario, 'consent/accept-cmc', { capabilityUrl: request.content['capabilityUrl'], accessName: 'Study', features: { chat: true } })
  const grant = String(accept.content['dataGrantAccessId'])
  const chat = await sendMessage(scenario, b, channel('chats', a.slug), 'message/chat-cmc', { content: 'hello' })
  const reply = await sendMessage(scenario, a, channel('chats', b.slug), 'message/chat-cmc', { content: 'hello to you' })
  const alert = await sendMessage(scenario, a, channel('collectors', b.slug), 'notification/alert-cmc', { level: 'info', title: words, body: words, code: 'low' })
  const alertEventId = String(alert.content['remoteEventId'])
  const ack = await sendMessage(scenario, b, channel('collectors', a.slug), 'notification/ack-cmc', { alertEventId, ackId: alertEventId })
  const more = await sendMessage(scenario, a, channel('collectors', b.slug), 'consent/scope-request-cmc', { newPermissions: reads('diary', 'steps') })
  const update = await sendMessage(scenario, b, channel('collectors', a.slug), 'consent/scope-update-cmc', {
    ...{ scopeRequestEventId: more.content['remoteEventId'], accept: true },
  })
  await withFault(scenario, a, 'POST', async () => {
    await b.stage.arrange('accesses.update', { id: `${grant}:1`, update: { permissions: reads('steps') } })
    await deliverDue(b.node)
  })
  await retryDeliveries(scenario)
  const second = await createRequest(scenario, offering(), `${APP}:s2`)
  const other = await answerOffer(scenario, 'consent/accept-cmc', { capabilityUrl: second.content['capabilityUrl'], accessName: 'Other' })
  const refused = await createRequest(scenario, offering())
  const refusal = await answerOffer(scenario, 'consent/refuse-cmc', { capabilityUrl: refused.content['capabilityUrl'], reason: words })
  const link = await createRequest(scenario, openLink())
  const invalidation = await writeAndDeliver(a.stage, SCOPE, 'consent/invalidate-link-cmc', { capabilityId: link.content['capabilityId'] })
  const revoke = await sendMessage(scenario, b, APP, 'consent/revoke-cmc', { accessId: grant, reason: words })
  const back = (await storedEvent(a.stage, second.id)).content['backChannelAccessId']
  const revokeBack = await sendMessage(scenario, a, SCOPE, 'consent/revoke-cmc', { accessId: back })
  return { request, accept, chat, reply, alert, ack, more, update, second, other, refused, refusal, link, invalidation, revoke, revokeBack }
}

describe('two nodes', () => {
  let withoutFaults: unknown
  const snapshots = async (scenario: Scenario): Promise<unknown> => ({ a: await snapshotOf(scenario, scenario.a), b: await snapshotOf(scenario, scenario.b) })

  it('agree on consents, exchange messages, change scopes and end the consents', async () => {
    const scenario = await begin()
    const { a, b } = scenario
    const all = await runAll(scenario)
    withoutFaults = await snapshots(scenario)
    const of = async (side: Party, name: string): Promise<Content> => (await storedEvent(side.stage, all[name]?.id ?? '')).content
    const { accept, chat, more, revoke } = all as Record<string, StoredEvent>
    const names = ['chat', 'reply', 'alert', 'ack', 'more', 'update', 'refusal', 'invalidation', 'revoke', 'revokeBack']
    for (const name of names) expect([name, all[name]?.content['status']]).toEqual([name, 'completed'])
    const request = await of(a, 'request')
    const back = String(request['backChannelAccessId'])
    expect(request).toMatchObject({ status: 'revoked', acceptedBy: { username: b.stage.username } })
    expect([(await of(a, 'second'))['status'], (await of(a, 'refused'))['status'], (await of(a, 'link'))['status']]).toEqual(['revoked', 'refused', 'invalidated'])
    const grant = accept?.content['dataGrantAccessId']
    expect((await of(b, 'accept'))['withdrawal']).toMatchObject({ by: 'revoke-cmc', accessId: grant, revokeEventId: revoke?.id })
    expect((await of(b, 'other'))['withdrawal']).toMatchObject({ by: 'peer-revoke' })
    expect(await storedEvent(a.stage, String(chat?.content['remoteEventId']))).toMatchObject({
      ...{ createdBy: back, streamIds: [`${SCOPE}:chats:${b.slug}`] },
      content: { content: 'hello', from: { username: b.stage.username, host: new URL(two.gate.url).host } },
    })
    expect((await storedEvent(b.stage, String(more?.content['remoteEventId']))).content).toMatchObject({ status: 'accepted', responseEventId: all['update']?.id })
    expect(all['update']?.content).toMatchObject({ applied: true, accessId: grant, newPermissions: reads('diary', 'steps') })
    expect((await inStream(a.stage, `${SCOPE}:collectors:${b.slug}`, 'consent/scope-update-cmc')).map(({ content }) => content['newPermissions'])).toEqual(
      expect.arrayContaining([reads('steps'), reads('diary', 'steps')]),
    )
    expect((await inInbox(a.stage))[0]?.content).toMatchObject({
      ...{ accessId: grant, backChannelAccessId: back, inviteEventId: all['request']?.id, reason: words },
      ...{ scopeStreamId: SCOPE, revokedAccessIds: [back] },
    })
    expect(await inStream(b.stage, `${SCOPE}:chats:${a.slug}`)).toHaveLength(2)
  })

  it.each<[Fault, string]>([
    ['away', 'unreachable'],
    ['lost', 'responses lost'],
    ['full', 'cannot write'],
  ])('reach the same state when the receiver fails in each step (%s: %s)', async (fault) => {
    const scenario = await begin(fault)
    await runAll(scenario)
    expect(await snapshots(scenario)).toEqual(withoutFaults)
  })

  it('do not agree by a link that is invalidated before the answer is delivered', async () => {
    const scenario = await begin('away')
    const { a, b } = scenario
    const link = await createRequest(scenario, openLink())
    const content = { capabilityUrl: link.content['capabilityUrl'] }
    const accept = await withFault(scenario, a, 'POST', () => writeAndDeliver(b.stage, APP, 'consent/accept-cmc', content))
    expect([accept.content, await relationsOf(b.stage)]).toMatchObject([{ status: 'failed' }, [{}]])
    await writeAndDeliver(a.stage, SCOPE, 'consent/invalidate-link-cmc', { capabilityId: link.content['capabilityId'] })
    await retryDeliveries(scenario)
    expect((await storedEvent(b.stage, accept.id)).content).toMatchObject({ status: 'failed', failure: { reason: 'cmc-capability-invalidated' } })
    expect([await relationsOf(a.stage), await relationsOf(b.stage)]).toEqual([[], []])
  })
})

describe('a stopped node', () => {
  const write = async ({ arrange }: Side, streamId: string, type: string, content: Content): Promise<string> =>
    ((await arrange('events.create', { streamIds: [streamId], type, content }))['event'] as StoredEvent).id
  const chat = ({ b }: RelatedPair, content: string): Promise<string> => write(b, b.chat, 'message/chat-cmc', { content })
  const revoke = ({ b }: RelatedPair): Promise<string> => write(b, SCOPE, 'consent/revoke-cmc', { accessId: b.accessId })
  const after = ({ b }: RelatedPair, id: string): Promise<StoredEvent> => storedEvent({ ...b, node: two.node }, id)

  it('delivers its messages once after a restart, whether their delivery had started or not', async () => {
    const newPair = async (): Promise<RelatedPair> => relatedPair(two.node, one.node)
    const [chatting, started, unstarted] = [await newPair(), await newPair(), await newPair()]
    one.gate.way = 'silent'
    const [, chatStarted] = await Promise.all([one.gate.swallowed(), chat(chatting, 'heard')] as const)
    const [, revokeStarted] = await Promise.all([one.gate.swallowed(), revoke(started)] as const)
    // The next messages are on disk, but their delivery has not started.
    two.node.node.consents.wake = () => {}
    const [chatUnstarted, revokeUnstarted] = [await chat(chatting, 'unheard'), await revoke(unstarted)]
    const before = performance.now()
    await two.node.stop()
    // The stop does not wait for unresponsive receivers.
    expect(performance.now() - before).toBeLessThan(5000)
    one.gate.way = 'open'
    two = await startGatedNode(clock, { former: two })
    await deliverDue(two.node, one.node)
    for (const id of [chatStarted, chatUnstarted]) expect((await after(chatting, id)).content).toMatchObject({ status: 'completed' })
    expect((await inStream(chatting.a, chatting.a.chat)).map(({ content }) => content['content']).sort()).toEqual(['heard', 'unheard'])
    for (const [pair, id] of [[started, revokeStarted], [unstarted, revokeUnstarted]] as const) {
      const { a, b, acceptId } = pair
      const mine = await after(pair, id)
      expect(mine.content).toEqual({ accessId: b.accessId, status: 'completed', peerNotified: true })
      expect((await after(pair, acceptId)).content['withdrawal']).toMatchObject({ by: 'revoke-cmc', revokeEventId: id })
      expect(accessOf(a)).toBeUndefined()
      const arrived = await inInbox(a)
      expect(arrived).toMatchObject([{ content: { accessId: b.accessId, revokedAccessIds: [a.accessId] } }])
      // Simulates that the end of the attempt was not stored: the repetition has no further effect.
      const account = await accountOf({ ...b, node: two.node })
      const payload = { ended: true, isReachable: true }
      // A due time beyond the maximum delay was set while the clock was ahead, and is ignored.
      const due = pair === started ? 0 : clock.now() + 40 * 86_400
      const { seal, db } = two.node.node.store
      await account.write((t) => putTask(t, seal, { id, kind: 'trigger', attempts: 0, due, payload }))
      two.node.node.consents.wake(account.prefix, id)
      await two.node.node.consents.settled(account.prefix, id)
      await deliverDue(two.node, one.node)
      expect(findTask(db, seal, account.prefix, id)).toBeUndefined()
      expect((await after(pair, id)).content).toEqual(mine.content)
      expect(await inInbox(a)).toEqual(arrived)
    }
  })

  it('retries a message whose result it could not store', async () => {
    const pair = await relatedPair(two.node, one.node)
    const { a, b } = pair
    const account = await accountOf({ ...b, node: two.node })
    const { write: real } = account
    const timers = vi.spyOn(globalThis, 'setTimeout')
    let count = 0
    // The writes of the event and of its first status succeed, and that of its end fails.
    account.write = (change) => (++count === 3 ? Promise.reject(new Failure('storage-full')) : real.call(account, change) as never)
    const id = await chat(pair, 'hello')
    await expect.poll(() => timers.mock.calls.some(([, ms]) => ms === 600_000)).toBe(true)
    Reflect.deleteProperty(account, 'write')
    timers.mockRestore()
    await deliverDue(two.node)
    expect((await after(pair, id)).content).toMatchObject({ status: 'completed' })
    expect(await inStream(a, a.chat)).toHaveLength(1)
  })
})

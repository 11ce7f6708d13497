/**
 * Accounts of two nodes of which the one that receives is in trouble, once in each step (docs/interface/messages.md#delivery).
 */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { findTask, putTask } from '../../../../src/store/accesses/consentTasks.js'
import { Failure } from '../../../../src/store/model/failure.js'
import { expectSound } from '../../../support/store/check.js'
import { fakeClock } from '../../../support/nodes/clock.js'
import { homes } from '../../../support/nodes/home.js'
import { APP, offering, openLink, relationsOf, SCOPE } from './agreeing.js'
import { answer, healed, hindered, newParty, startGated, tell, tracesOf, type Gated, type Party, type Story, type Trouble } from './story.js'
import { accessOf, accountOf, inInbox, inStream, quiet, relatedPair, said, seen, type Content, type Related, type Seen, type Side } from './support.js'

const clock = fakeClock()
let one: Gated
let two: Gated
const { home } = homes()
beforeAll(async () => {
  one = await startGated(clock)
  two = await startGated(clock, { home: (await home()).home })
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

const begin = async (trouble?: Trouble): Promise<Story> => {
  const [a, b] = [await newParty(one), await newParty(two)]
  for (const [id, parentId] of [[APP, ':_cmc:apps'], [SCOPE, APP], [`${APP}:s2`, APP]] as const) {
    await a.stage.arrange('streams.create', { id, name: id.slice(-2), parentId })
  }
  return { a, b, trouble, clock }
}
const asked = ({ a }: Story, content: Content, streamId = SCOPE): Promise<Seen> => said(a.stage, streamId, 'consent/request-cmc', content)

/** Everything that two accounts do with each other. */
async function told(story: Story): Promise<Record<string, Seen>> {
  const { a, b } = story
  const channel = (kind: string, peer: string): string => `${SCOPE}:${kind}:${peer}`
  const request = await asked(story, offering())
  const accept = await answer(story, 'consent/accept-cmc', { capabilityUrl: request.content['capabilityUrl'], accessName: 'Study', features: { chat: true } })
  const grant = String(accept.content['dataGrantAccessId'])
  const chat = await tell(story, b, channel('chats', a.slug), 'message/chat-cmc', { content: 'hello' })
  const reply = await tell(story, a, channel('chats', b.slug), 'message/chat-cmc', { content: 'hello to you' })
  const alert = await tell(story, a, channel('collectors', b.slug), 'notification/alert-cmc', { level: 'info', title: words, body: words, code: 'low' })
  const alertEventId = String(alert.content['remoteEventId'])
  const ack = await tell(story, b, channel('collectors', a.slug), 'notification/ack-cmc', { alertEventId, ackId: alertEventId })
  const more = await tell(story, a, channel('collectors', b.slug), 'consent/scope-request-cmc', { newPermissions: reads('diary', 'steps') })
  const update = await tell(story, b, channel('collectors', a.slug), 'consent/scope-update-cmc', {
    ...{ scopeRequestEventId: more.content['remoteEventId'], accept: true },
  })
  await hindered(story, a, 'POST', async () => {
    await b.stage.arrange('accesses.update', { id: `${grant}:1`, update: { permissions: reads('steps') } })
    await quiet(b.node)
  })
  await healed(story)
  const second = await asked(story, offering(), `${APP}:s2`)
  const other = await answer(story, 'consent/accept-cmc', { capabilityUrl: second.content['capabilityUrl'], accessName: 'Other' })
  const refused = await asked(story, offering())
  const refusal = await answer(story, 'consent/refuse-cmc', { capabilityUrl: refused.content['capabilityUrl'], reason: words })
  const link = await asked(story, openLink())
  const invalidation = await said(a.stage, SCOPE, 'consent/invalidate-link-cmc', { capabilityId: link.content['capabilityId'] })
  const revoke = await tell(story, b, APP, 'consent/revoke-cmc', { accessId: grant, reason: words })
  const back = (await seen(a.stage, second.id)).content['backChannelAccessId']
  const revokeBack = await tell(story, a, SCOPE, 'consent/revoke-cmc', { accessId: back })
  return { request, accept, chat, reply, alert, ack, more, update, second, other, refused, refusal, link, invalidation, revoke, revokeBack }
}

describe('two nodes', () => {
  let plain: unknown
  const traces = async (story: Story): Promise<unknown> => ({ a: await tracesOf(story, story.a), b: await tracesOf(story, story.b) })

  it('agree, message each other, agree on more, and part', async () => {
    const story = await begin()
    const { a, b } = story
    const all = await told(story)
    plain = await traces(story)
    const of = async (side: Party, name: string): Promise<Content> => (await seen(side.stage, all[name]?.id ?? '')).content
    const { accept, chat, more, revoke } = all as Record<string, Seen>
    const names = ['chat', 'reply', 'alert', 'ack', 'more', 'update', 'refusal', 'invalidation', 'revoke', 'revokeBack']
    for (const name of names) expect([name, all[name]?.content['status']]).toEqual([name, 'completed'])
    const request = await of(a, 'request')
    const back = String(request['backChannelAccessId'])
    expect(request).toMatchObject({ status: 'revoked', acceptedBy: { username: b.stage.username } })
    expect([(await of(a, 'second'))['status'], (await of(a, 'refused'))['status'], (await of(a, 'link'))['status']]).toEqual(['revoked', 'refused', 'invalidated'])
    const grant = accept?.content['dataGrantAccessId']
    expect((await of(b, 'accept'))['withdrawal']).toMatchObject({ by: 'revoke-cmc', accessId: grant, revokeEventId: revoke?.id })
    expect((await of(b, 'other'))['withdrawal']).toMatchObject({ by: 'peer-revoke' })
    expect(await seen(a.stage, String(chat?.content['remoteEventId']))).toMatchObject({
      ...{ createdBy: back, streamIds: [`${SCOPE}:chats:${b.slug}`] },
      content: { content: 'hello', from: { username: b.stage.username, host: new URL(two.gate.url).host } },
    })
    expect((await seen(b.stage, String(more?.content['remoteEventId']))).content).toMatchObject({ status: 'accepted', responseEventId: all['update']?.id })
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

  it.each<[Trouble, string]>([
    ['away', 'is not there'],
    ['lost', 'hears, and is not heard'],
    ['full', 'cannot write'],
  ])('come to the same when whoever receives is in trouble in each step (%s: %s)', async (trouble) => {
    const story = await begin(trouble)
    await told(story)
    expect(await traces(story)).toEqual(plain)
  })

  it('do not agree by a link that was withdrawn before the answer came', async () => {
    const story = await begin('away')
    const { a, b } = story
    const link = await asked(story, openLink())
    const content = { capabilityUrl: link.content['capabilityUrl'] }
    const accept = await hindered(story, a, 'POST', () => said(b.stage, APP, 'consent/accept-cmc', content))
    expect([accept.content, await relationsOf(b.stage)]).toMatchObject([{ status: 'failed' }, [{}]])
    await said(a.stage, SCOPE, 'consent/invalidate-link-cmc', { capabilityId: link.content['capabilityId'] })
    await healed(story)
    expect((await seen(b.stage, accept.id)).content).toMatchObject({ status: 'failed', failure: { reason: 'cmc-capability-invalidated' } })
    expect([await relationsOf(a.stage), await relationsOf(b.stage)]).toEqual([[], []])
  })
})

describe('a node that stops', () => {
  const write = async ({ arrange }: Side, streamId: string, type: string, content: Content): Promise<string> =>
    ((await arrange('events.create', { streamIds: [streamId], type, content }))['event'] as Seen).id
  const chat = ({ b }: Related, content: string): Promise<string> => write(b, b.chat, 'message/chat-cmc', { content })
  const revoke = ({ b }: Related): Promise<string> => write(b, SCOPE, 'consent/revoke-cmc', { accessId: b.accessId })
  const after = ({ b }: Related, id: string): Promise<Seen> => seen({ ...b, node: two.node }, id)

  it('has its messages arrive once, whether it had begun to send them or not', async () => {
    const pairs = async (): Promise<Related> => relatedPair(two.node, one.node)
    const [chatting, heard, unheard] = [await pairs(), await pairs(), await pairs()]
    one.gate.way = 'silent'
    const [, chatHeard] = await Promise.all([one.gate.swallowed(), chat(chatting, 'heard')] as const)
    const [, revokeHeard] = await Promise.all([one.gate.swallowed(), revoke(heard)] as const)
    // What follows is on disk, and nobody has looked at it.
    two.node.node.consents.wake = () => {}
    const [chatUnheard, revokeUnheard] = [await chat(chatting, 'unheard'), await revoke(unheard)]
    const before = performance.now()
    await two.node.stop()
    // Nobody waits for those who do not answer.
    expect(performance.now() - before).toBeLessThan(5000)
    one.gate.way = 'open'
    two = await startGated(clock, { former: two })
    await quiet(two.node, one.node)
    for (const id of [chatHeard, chatUnheard]) expect((await after(chatting, id)).content).toMatchObject({ status: 'completed' })
    expect((await inStream(chatting.a, chatting.a.chat)).map(({ content }) => content['content']).sort()).toEqual(['heard', 'unheard'])
    for (const [pair, id] of [[heard, revokeHeard], [unheard, revokeUnheard]] as const) {
      const { a, b, acceptId } = pair
      const mine = await after(pair, id)
      expect(mine.content).toEqual({ accessId: b.accessId, status: 'completed', peerNotified: true })
      expect((await after(pair, acceptId)).content['withdrawal']).toMatchObject({ by: 'revoke-cmc', revokeEventId: id })
      expect(accessOf(a)).toBeUndefined()
      const arrived = await inInbox(a)
      expect(arrived).toMatchObject([{ content: { accessId: b.accessId, revokedAccessIds: [a.accessId] } }])
      // The end of the attempt was not noted: it comes again, to nothing else.
      const account = await accountOf({ ...b, node: two.node })
      const payload = { ended: true, isReachable: true }
      // A time that is further off than any delay was set while the clock was ahead: nobody waits for it.
      const due = pair === heard ? 0 : clock.now() + 40 * 86_400
      const { seal, db } = two.node.node.store
      await account.write((t) => putTask(t, seal, { id, kind: 'trigger', attempts: 0, due, payload }))
      two.node.node.consents.wake(account.prefix, id)
      await two.node.node.consents.settled(account.prefix, id)
      await quiet(two.node, one.node)
      expect(findTask(db, seal, account.prefix, id)).toBeUndefined()
      expect((await after(pair, id)).content).toEqual(mine.content)
      expect(await inInbox(a)).toEqual(arrived)
    }
  })

  it('tries again what it could not note', async () => {
    const pair = await relatedPair(two.node, one.node)
    const { a, b } = pair
    const account = await accountOf({ ...b, node: two.node })
    const { write: real } = account
    const waits = vi.spyOn(globalThis, 'setTimeout')
    let count = 0
    // The event, then its first stamp, are written, and the end is not.
    account.write = (change) => (++count === 3 ? Promise.reject(new Failure('storage-full')) : real.call(account, change) as never)
    const id = await chat(pair, 'hello')
    await expect.poll(() => waits.mock.calls.some(([, ms]) => ms === 600_000)).toBe(true)
    Reflect.deleteProperty(account, 'write')
    waits.mockRestore()
    await quiet(two.node)
    expect((await after(pair, id)).content).toMatchObject({ status: 'completed' })
    expect(await inStream(a, a.chat)).toHaveLength(1)
  })
})

/** Webhooks across revocation, expiry, scopes and restarts: docs/interface/webhooks.md#rules, docs/interface/webhooks.md#delivery. */
import { afterAll, describe, expect, it } from 'vitest'
import { createControl } from '../../../src/server/control/control.js'
import { operatorMethods } from '../../../src/server/control/operatorMethods.js'
import { each } from '../../../src/store/engine/database.js'
import { grantAccess } from '../../support/people/access.js'
import { expectSound } from '../../support/store/check.js'
import { fakeClock } from '../../support/nodes/clock.js'
import { homes } from '../../support/nodes/home.js'
import { startTestNode, type TestNode } from '../../support/nodes/node.js'
import { startReceiver, type Receiver } from '../../support/services/webhookReceiver.js'
import { callThrough, newStage } from '../../support/http/methodTable.js'
import { withNode } from '../../support/nodes/started.js'
import { runWebhookStory, storySettings } from '../../support/services/webhookStory.js'
import { hookOn, succeeding, until, type Hook, type WebhookWithRuns } from './support.js'

const INTERVAL = 40
const settings = { 'webhooks.minIntervalMs': INTERVAL, 'webhooks.maxRetries': 3, 'webhooks.requestTimeoutMs': 600, 'auth.adminAccessKey': 'the key of the operator' }
const { home } = homes()
const receivers: Receiver[] = []
afterAll(() => Promise.all(receivers.map((receiver) => receiver.stop())))

async function newReceiver(answer: Receiver['answer'] = 200): Promise<Receiver> {
  const receiver = await startReceiver(answer)
  receivers.push(receiver)
  return receiver
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Returns the database keys of webhooks. */
async function keysOf(node: TestNode): Promise<string[]> {
  await node.node.store.settled()
  const found = []
  for await (const key of each(node.node.store.db.keys({ gte: '' }))) if (/^(!w\/|[0-9a-z]+\/[HKQq]\/)/.test(key)) found.push(key)
  return found
}

describe('the access of a webhook', () => {
  const at = withNode(settings)

  it('ends its webhooks and those of the accesses it shared, but not others, when it is deleted', async () => {
    const [first, second, third] = await Promise.all([newReceiver(), newReceiver(), newReceiver()])
    const mine = await hookOn(at(), first)
    const { stage } = mine
    const { access } = await succeeding(stage, mine.access.token, 'accesses.create', { name: 'shared', permissions: [{ streamId: 'diary', level: 'read' }] })
    await succeeding(stage, String((access as { token: string }).token), 'webhooks.create', { url: second.url })
    const others = await hookOn(at(), third, {}, stage)
    await stage.arrange('accesses.delete', { id: mine.access.id })
    const { webhooks } = await stage.arrange('webhooks.get', {})
    expect((webhooks as WebhookWithRuns[]).map(({ id }) => id)).toEqual([others.id])
    await Promise.all([first, second].map((one) => until(() => Promise.resolve(one.received.every(({ isOver }) => isOver)), (isOver) => isOver)))
    const before = [first, second].map(({ received }) => received.length)
    await others.addEvent()
    await until(() => Promise.resolve(third.messages.flat()), (messages) => messages.includes('eventsChanged'))
    await sleep(3 * INTERVAL)
    expect([first, second].map(({ received }) => received.length)).toEqual(before)
  })

  it('deactivates its webhooks without a call when it expires; they can be activated again once it is renewed', async () => {
    const receiver = await newReceiver()
    const { id, stage, access, addEvent, read, set } = await hookOn(at(), receiver)
    await stage.arrange('accesses.update', { id: access.id, update: { expireAfter: 0 } })
    const stopped = await until(read, ({ state }) => state === 'inactive')
    const { runCount } = stopped
    // Not reported: it cannot be activated while its access has expired.
    const attention = async (): Promise<string> => JSON.stringify(await createControl(at().node, [], operatorMethods).call('node.attention', {}, {}))
    expect(await attention()).not.toContain(id)
    await addEvent()
    await sleep(3 * INTERVAL)
    expect(await read()).toMatchObject({ id, runCount })
    const { access: expired } = await stage.arrange('accesses.getOne', { id: access.id })
    await stage.arrange('accesses.update', { id: (expired as { id: string }).id, update: { expires: null } })
    expect(await attention()).toContain(id)
    expect(await set('active')).toMatchObject({ state: 'active', currentRetries: 0 })
    await addEvent()
    await until(() => Promise.resolve(receiver.messages.flat()), (messages) => messages.includes('eventsChanged'))
  })

  it('is deleted with its account, without remaining keys', async () => {
    const receiver = await newReceiver('hang')
    const { stage, addEvent } = await hookOn(at(), receiver)
    await addEvent()
    await receiver.calls(1)
    const { account } = (await at().node.accounts.find(stage.username)) ?? {}
    const prefix = account?.prefix ?? ''
    const ofAccount = async (): Promise<string[]> => (await keysOf(at())).filter((key) => key.startsWith(`${prefix}/`) || key.startsWith(`!w/${prefix}/`))
    expect(await ofAccount()).toHaveLength(5)
    const answer = await fetch(`${at().url}users/${stage.username}`, { method: 'DELETE', headers: { authorization: settings['auth.adminAccessKey'] } })
    expect(answer.status).toBe(200)
    await until(() => Promise.resolve(receiver.received[0]), (call) => call?.isOver === true)
    await sleep(2 * INTERVAL)
    expect(await ofAccount()).toEqual([])
  })
})

describe('the app that manages the access of a webhook', () => {
  const clock = fakeClock()
  const at = withNode(settings, { clock })

  it('deactivates the webhook when it expires', async () => {
    const receiver = await newReceiver()
    const stage = await newStage(at())
    const app = await grantAccess(at(), stage.username, [{ streamId: '*', level: 'manage' }], { expires: clock.now() + 100 })
    const shared = await grantAccess(at(), stage.username, [], { type: 'shared', manager: app.id })
    const { webhook } = await succeeding(stage, shared.token, 'webhooks.create', { url: receiver.url })
    const { id } = webhook as WebhookWithRuns
    clock.pass(100)
    await stage.arrange('streams.create', { name: 'x' })
    const read = async (): Promise<WebhookWithRuns> => (await stage.arrange('webhooks.getOne', { id }))['webhook'] as WebhookWithRuns
    expect(await until(read, ({ state }) => state === 'inactive')).toMatchObject({ runCount: 0 })
    expect(receiver.received).toEqual([])
    const { status, body } = await callThrough('http', stage, stage.owner, 'webhooks.update', { id, update: { state: 'active' } })
    expect({ status, body }).toMatchObject({ status: 400, body: { error: { id: 'invalid-operation' } } })
  })
})

describe('a webhook with scopes', () => {
  const at = withNode(settings)

  it('receives only the scopes that match a change', async () => {
    const receiver = await newReceiver()
    const stage = await newStage(at())
    for (const id of ['diary', 'work']) await stage.arrange('streams.create', { id, name: id })
    const scopes = { mine: { query: { streams: ['diary'] } }, notes: { query: { types: ['note/txt'] } }, tree: { kind: 'streams', query: { streams: ['work'] } } }
    const { addEvent, id, runs } = await hookOn(at(), receiver, { scopes }, stage)
    await stage.arrange('streams.create', { id: 'else', name: 'else' })
    await stage.arrange('events.create', { streamIds: ['else'], type: 'mass/kg', content: 1 })
    await sleep(2 * INTERVAL)
    expect(receiver.messages).toEqual([])
    await addEvent()
    await runs(1)
    expect(receiver.messages).toEqual([['mine', 'notes']])
    await sleep(2 * INTERVAL)
    await stage.arrange('streams.create', { parentId: 'work', name: 'below' })
    await runs(2)
    expect(receiver.messages[1]).toEqual(['tree'])
    await stage.arrange('webhooks.update', { id, update: { scopes: null } })
    await sleep(2 * INTERVAL)
    await addEvent()
    await runs(3)
    expect(receiver.messages[2]).toEqual(['eventsChanged'])
  })

  it('receives no scopes that its access can no longer read', async () => {
    const receiver = await newReceiver()
    const stage = await newStage(at())
    for (const id of ['diary', 'work']) await stage.arrange('streams.create', { id, name: id })
    const scopes = { diary: { query: { streams: ['diary'] } }, work: { query: { streams: ['work'] } } }
    const { access, runs } = await hookOn(at(), receiver, { scopes }, stage)
    await stage.arrange('accesses.update', { id: access.id, update: { permissions: [{ streamId: 'work', level: 'read' }] } })
    const event = { type: 'note/txt', content: 'x' }
    await stage.arrange('callBatch', ['diary', 'work'].map((id) => ({ method: 'events.create', params: { ...event, streamIds: [id] } })))
    await runs(1)
    await sleep(2 * INTERVAL)
    expect(receiver.messages).toEqual([['work']])
  })
})

describe('a starting node', () => {
  it('calls active webhooks only, with scopes or without', async () => {
    const places = await home()
    const answers = await Promise.all([newReceiver(), newReceiver(), newReceiver()])
    const node = await startTestNode(settings, { home: places.home })
    const stage = await newStage(node)
    const hooks: Hook[] = []
    for (const [n, receiver] of answers.entries()) {
      hooks.push(await hookOn(node, receiver, { scopes: { a: { query: { streams: [] } } }, ...(n === 1 ? { state: 'inactive' } : {}) }, n === 0 ? undefined : stage))
    }
    await node.stop()
    expect(answers.map(({ messages }) => messages)).toEqual([[], [], []])
    const again = await startTestNode(settings, { home: places.home })
    await answers[0].calls(1)
    await answers[2].calls(1)
    await sleep(2 * INTERVAL)
    expect(answers.map(({ messages }) => messages)).toEqual([[['systemBoot']], [], [['systemBoot']]])
    await again.stop()
    expect((await expectSound(places)).checked).toMatchObject({ webhooks: 3, 'active webhooks': 2 })
  })

  it('resumes failed, hanging and redirected calls once the receiver recovers', async () => {
    const places = await home()
    let node: TestNode | undefined
    await runWebhookStory({
      async start() {
        node = await startTestNode(storySettings, { home: places.home })
        return node.url
      },
      end: async () => node?.stop(0),
    })
    const { checked } = await expectSound(places)
    expect(checked).toMatchObject({ webhooks: 1, 'active webhooks': 1 })
  })
})

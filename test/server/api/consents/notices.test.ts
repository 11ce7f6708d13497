/**
 * Notifications of the other account about changed accesses and ended delegations:
 * docs/interface/messages.md#changes-of-an-access, docs/interface/consents.md#end-of-a-relationship.
 */
import { describe, expect, it } from 'vitest'
import { findTask, listTasks } from '../../../../src/store/accesses/consentTasks.js'
import { delegates } from '../../../../src/store/accesses/delegations.js'
import { expectSound } from '../../../support/store/check.js'
import { homes } from '../../../support/nodes/home.js'
import { startTestNode } from '../../../support/nodes/node.js'
import { newStage } from '../../../support/http/methodTable.js'
import { connectSocket } from '../../../support/http/socket.js'
import { withNode } from '../../../support/nodes/started.js'
import { accessOf, accountOf, entries, inInbox, inStream, deliverDue, setPeerEndpoint, relatedPair, replaceAccess, storedEvent, type StoredEvent } from './support.js'

const UPDATE = 'consent/scope-update-cmc'
const { home } = homes()

describe('an update of the access of a consent', () => {
  const at = withNode()

  it('is recorded in both accounts', async () => {
    const { a, b } = await relatedPair(at())
    await b.arrange('accesses.update', { id: b.accessId, update: { permissions: [...entries('steps'), { streamId: ':_cmc:inbox', level: 'create-only' }] } })
    await deliverDue(at())
    const content = { source: 'post-hook', accessId: b.accessId, newAccessId: `${b.accessId}:1`, previousPermissions: entries('diary'), newPermissions: entries('steps') }
    const [own, ...others] = await inStream(b, b.collector, UPDATE)
    expect([own?.content, others]).toEqual([content, []])
    const [delivered, ...more] = await inStream(a, a.collector, UPDATE)
    expect([delivered?.content, more]).toEqual([{ ...content, from: { username: b.username, host: expect.any(String) as string } }, []])
  })

  it('succeeds even if the other account cannot be notified', async () => {
    const { a, b } = await relatedPair(at())
    await setPeerEndpoint(b, undefined)
    await b.arrange('accesses.update', { id: b.accessId, update: { name: 'another' } })
    await setPeerEndpoint(b, `${at().url.replace('://', '://unknown@')}${a.username}/`)
    await b.arrange('accesses.update', { id: `${b.accessId}:1`, update: { permissions: [] } })
    await deliverDue(at())
    expect(await inStream(b, b.collector, UPDATE)).toHaveLength(2)
    expect(await inStream(a, a.collector, UPDATE)).toEqual([])
    expect(at().logged.some((line) => line.includes('failed to notify'))).toBe(true)
  })
})

describe('the end of a delegation', () => {
  const at = withNode()

  it('is notified to the other accounts of consents that end with it', async () => {
    const first = await newStage(at())
    const delegate = await newStage(at())
    await first.arrange('delegations.requestAttach', { delegateUsername: delegate.username })
    await delegate.arrange('delegations.acceptAttach', { username: first.username })
    const [anchor] = await delegates.list(await accountOf(first), at().node.store.seal)
    if (anchor === undefined) throw new Error('no anchor')
    const pair = await relatedPair(at(), at(), { stages: [await newStage(at()), first] })
    const { a, b } = pair
    const marker = { kind: 'delegated-child', relId: anchor.relId, delegate: anchor.delegate, viaAccessId: 'via' }
    const derived = await relatedPair(at(), at(), { scope: ':_cmc:apps:study:s2', stages: [a, b] })
    await replaceAccess(derived.b, (access) => ({ ...access, clientData: { ...access.clientData, delegation: marker } }))
    await first.arrange('delegations.detachDelegate', { username: delegate.username })
    await deliverDue(at())
    expect([accessOf(derived.a), accessOf(derived.b)]).toEqual([undefined, undefined])
    expect([accessOf(a), accessOf(b)]).not.toContain(undefined)
    expect((await inInbox(a))[0]?.content).toMatchObject({ accessId: derived.b.accessId, from: { username: b.username } })
    expect((await storedEvent(b, derived.acceptId)).content['withdrawal']).toEqual({ at: expect.any(Number) as number, by: 'delegation-detach', relId: anchor.relId })
  })
})

describe('a pending notification', () => {
  it('is stored without its token in the log, and still pending after a restart', async () => {
    const places = await home()
    const node = await startTestNode({}, { home: places.home })
    const pair = await relatedPair(node)
    const { a, b } = pair
    await setPeerEndpoint(b, 'http://very-secret@127.0.0.1:9/nobody/')
    await b.arrange('accesses.delete', { id: b.accessId })
    const pending: string[] = []
    for await (const { account, id } of listTasks(node.node.store.db)) {
      await node.node.consents.settled(account, id)
      pending.push(JSON.stringify(findTask(node.node.store.db, node.node.store.seal, account, id)))
    }
    expect(pending).toHaveLength(1)
    expect(pending[0]).toContain('very-secret')
    expect(node.logged.join()).not.toContain('very-secret')
    await node.stop()
    await expectSound(places)
    const again = await startTestNode({}, { home: places.home })
    let count = 0
    for await (const _ of listTasks(again.node.store.db)) count++
    expect(count).toBe(1)
    expect((await again.node.accounts.find(a.username))?.account.tree.has(a.chat)).toBe(true)
    await again.stop()
  })
})

describe('a status that the node sets in an event', () => {
  const at = withNode({ 'versioning.forceKeepHistory': true })

  it('creates no version of the event, and each change is announced to clients', async () => {
    const { a } = await relatedPair(at())
    const { consents } = at().node
    const { wake } = consents
    consents.wake = () => {}
    const { event } = await a.arrange('events.create', { streamIds: [a.chat], type: 'message/chat-cmc', content: { content: 'hello' } })
    consents.wake = wake
    const { id } = event as StoredEvent
    const socket = await connectSocket(at(), a.username, { token: a.owner })
    await deliverDue(at())
    // Delivered, then completed.
    await expect.poll(() => socket.count('eventsChanged')).toBe(2)
    socket.close()
    expect(await a.arrange('events.getOne', { id, includeHistory: true })).toMatchObject({ history: [], event: { modifiedBy: 'system', content: { status: 'completed' } } })
  })
})

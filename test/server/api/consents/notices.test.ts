/**
 * What the other account hears of plain changes, and of the end of a delegation: docs/interface/messages.md#changes-of-an-access,
 * docs/interface/consents.md#end-of-a-relationship.
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
import { accessOf, accountOf, entries, inInbox, inStream, quiet, readdress, relatedPair, remarkAccess, seen, type Seen } from './support.js'

const UPDATE = 'consent/scope-update-cmc'
const { home } = homes()

describe('a plain change of an access', () => {
  const at = withNode()

  it('is recorded here and told there', async () => {
    const { a, b } = await relatedPair(at())
    await b.arrange('accesses.update', { id: b.accessId, update: { permissions: [...entries('steps'), { streamId: ':_cmc:inbox', level: 'create-only' }] } })
    await quiet(at())
    const content = { source: 'post-hook', accessId: b.accessId, newAccessId: `${b.accessId}:1`, previousPermissions: entries('diary'), newPermissions: entries('steps') }
    const [own, ...others] = await inStream(b, b.collector, UPDATE)
    expect([own?.content, others]).toEqual([content, []])
    const [told, ...more] = await inStream(a, a.collector, UPDATE)
    expect([told?.content, more]).toEqual([{ ...content, from: { username: b.username, host: expect.any(String) as string } }, []])
  })

  it('is taken where the other account cannot be told', async () => {
    const { a, b } = await relatedPair(at())
    await readdress(b, undefined)
    await b.arrange('accesses.update', { id: b.accessId, update: { name: 'another' } })
    await readdress(b, `${at().url.replace('://', '://unknown@')}${a.username}/`)
    await b.arrange('accesses.update', { id: `${b.accessId}:1`, update: { permissions: [] } })
    await quiet(at())
    expect(await inStream(b, b.collector, UPDATE)).toHaveLength(2)
    expect(await inStream(a, a.collector, UPDATE)).toEqual([])
    expect(at().logged.some((line) => line.includes('failed to notify'))).toBe(true)
  })
})

describe('the end of a delegation', () => {
  const at = withNode()

  it('is told to those whose consents end with it', async () => {
    const first = await newStage(at())
    const delegate = await newStage(at())
    await first.arrange('delegations.requestAttach', { delegateUsername: delegate.username })
    await delegate.arrange('delegations.acceptAttach', { username: first.username })
    const [anchor] = await delegates.list(await accountOf(first), at().node.store.seal)
    if (anchor === undefined) throw new Error('no anchor')
    const pair = await relatedPair(at(), at(), { stages: [await newStage(at()), first] })
    const { a, b } = pair
    const marker = { kind: 'delegated-child', relId: anchor.relId, delegate: anchor.delegate, viaAccessId: 'via' }
    const lineage = await relatedPair(at(), at(), { scope: ':_cmc:apps:study:s2', stages: [a, b] })
    await remarkAccess(lineage.b, (access) => ({ ...access, clientData: { ...access.clientData, delegation: marker } }))
    await first.arrange('delegations.detachDelegate', { username: delegate.username })
    await quiet(at())
    expect([accessOf(lineage.a), accessOf(lineage.b)]).toEqual([undefined, undefined])
    expect([accessOf(a), accessOf(b)]).not.toContain(undefined)
    expect((await inInbox(a))[0]?.content).toMatchObject({ accessId: lineage.b.accessId, from: { username: b.username } })
    expect((await seen(b, lineage.acceptId)).content['withdrawal']).toEqual({ at: expect.any(Number) as number, by: 'delegation-detach', relId: anchor.relId })
  })
})

describe('what is to be told', () => {
  it('outlives the node, sealed, and is told when it starts again', async () => {
    const places = await home()
    const node = await startTestNode({}, { home: places.home })
    const pair = await relatedPair(node)
    const { a, b } = pair
    await readdress(b, 'http://very-secret@127.0.0.1:9/nobody/')
    await b.arrange('accesses.delete', { id: b.accessId })
    const left: string[] = []
    for await (const { account, id } of listTasks(node.node.store.db)) {
      await node.node.consents.settled(account, id)
      left.push(JSON.stringify(findTask(node.node.store.db, node.node.store.seal, account, id)))
    }
    expect(left).toHaveLength(1)
    expect(left[0]).toContain('very-secret')
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

describe('what the node notes in an event', () => {
  const at = withNode({ 'versioning.forceKeepHistory': true })

  it('is no earlier version of it, and clients hear of each', async () => {
    const { a } = await relatedPair(at())
    const { consents } = at().node
    const { wake } = consents
    consents.wake = () => {}
    const { event } = await a.arrange('events.create', { streamIds: [a.chat], type: 'message/chat-cmc', content: { content: 'hello' } })
    consents.wake = wake
    const { id } = event as Seen
    const socket = await connectSocket(at(), a.username, { token: a.owner })
    await quiet(at())
    // Delivered, then completed.
    await expect.poll(() => socket.count('eventsChanged')).toBe(2)
    socket.close()
    expect(await a.arrange('events.getOne', { id, includeHistory: true })).toMatchObject({ history: [], event: { modifiedBy: 'system', content: { status: 'completed' } } })
  })
})

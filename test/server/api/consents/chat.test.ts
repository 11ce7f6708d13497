/** Chats between accounts: docs/interface/messages.md#chats, docs/interface/consents.md. */
import { describe, expect, it } from 'vitest'
import { withNode } from '../../../support/nodes/started.js'
import { callThrough } from '../../../support/http/methodTable.js'
import { identityOf } from '../../../../src/server/api/consents/identity.js'
import { inStream, deliverDue, setPeerEndpoint, relatedPair, updateMark, writeAndDeliver, storedEvent, SCOPE, type RelatedPair } from './support.js'

const CHAT = 'message/chat-cmc'

describe('a chat', () => {
  const at = withNode()

  it.each(['http', 'batch'] as const)('is delivered once to the other account, in both directions (%s)', async (transport) => {
    const { a, b } = await relatedPair(at())
    for (const [from, to] of [[a, b], [b, a]] as const) {
      const mine = await writeAndDeliver(from, from.chat, CHAT, { content: `from ${from.username}`, from: { username: 'x', host: 'y' } }, { transport })
      expect(mine.content).toMatchObject({ status: 'completed', remoteEventId: expect.any(String) as string })
      const theirs = await storedEvent(to, String(mine.content['remoteEventId']))
      expect(theirs).toMatchObject({ type: CHAT, streamIds: [to.chat], createdBy: to.accessId })
      expect(theirs.content).toEqual({ content: `from ${from.username}`, from: identityOf(from.node.node, from.username) })
    }
    expect([await inStream(a, a.chat), await inStream(b, b.chat)].map((events) => events.length)).toEqual([2, 2])
  })

  it.each(['a', 'b', 'both'] as const)('is delivered in both directions after a renaming of %s', async (who) => {
    const { a, b } = await relatedPair(at())
    for (const side of [a, b]) {
      if (who === 'both' || side === (who === 'a' ? a : b)) await side.arrange('account.changeUsername', { newUsername: `${side.username}-new` })
    }
    for (const [from, to] of [[a, b], [b, a]] as const) {
      const mine = await writeAndDeliver(from, from.chat, CHAT, { content: 'after' })
      expect(mine.content).toMatchObject({ status: 'completed' })
      expect(await storedEvent(to, String(mine.content['remoteEventId']))).toMatchObject({ streamIds: [to.chat], content: { content: 'after' } })
    }
    await a.arrange('accesses.delete', { id: a.accessId })
    await deliverDue(at())
    expect((await writeAndDeliver(b, b.chat, CHAT, { content: 'too late' })).content).toMatchObject({ status: 'failed' })
  })

  it.each(['http', 'form', 'batch', 'socket'] as const)('can be written as a string instead of an object (%s)', async (transport) => {
    const { a, b } = await relatedPair(at())
    const mine = await writeAndDeliver(a, a.chat, CHAT, 'hello', { transport })
    expect(mine.content).toEqual({ content: 'hello', status: 'completed', remoteEventId: expect.any(String) as string })
    const theirs = await storedEvent(b, String(mine.content['remoteEventId']))
    expect(theirs.content).toEqual({ content: 'hello', from: identityOf(at().node, a.username) })
    const { status, body } = await callThrough(transport, a, a.owner, 'events.update', { id: mine.id, update: { content: 'hello again' } })
    expect([status, (body['event'] as { content?: unknown } | undefined)?.content]).toEqual([200, { content: 'hello again', status: 'completed' }])
  })

  it('can be delivered by the other account as a string', async () => {
    const { a, b } = await relatedPair(at())
    const { content } = await writeAndDeliver(b, b.chat, CHAT, 'hello', { token: b.token })
    expect(content).toEqual({ content: 'hello', from: identityOf(at().node, a.username) })
  })

  it('is converted to an object in a data stream', async () => {
    const { a } = await relatedPair(at())
    await a.arrange('streams.create', { id: 'notes', name: 'Notes' })
    expect((await writeAndDeliver(a, 'notes', CHAT, 'hello')).content).toEqual({ content: 'hello' })
    const { id } = await writeAndDeliver(a, 'notes', 'note/txt', 'hello')
    await a.arrange('events.update', { id, update: { type: CHAT } })
    expect((await storedEvent(a, id)).content).toEqual({ content: 'hello' })
  })

  const failures: [name: string, arrange: (pair: RelatedPair) => Promise<unknown> | undefined, reason: string][] = [
    ['while chats are disabled', ({ a }) => updateMark(a, (mark) => ({ ...mark, features: { chat: false } })), 'cmc-chat-disabled'],
    ['without a known address', ({ a }) => setPeerEndpoint(a, undefined), 'cmc-chat-no-remote-apiendpoint'],
    [
      'without a known stream',
      ({ a }) => updateMark(a, (mark) => ({ ...mark, counterparty: { username: mark.counterparty.username, host: mark.counterparty.host, apiEndpoint: mark.counterparty.apiEndpoint ?? '' } })),
      'cmc-chat-no-remote-chat-stream',
    ],
    ['with an access of another scope', ({ a }) => updateMark(a, (mark) => ({ ...mark, scopeStreamId: ':_cmc:apps:study:other' })), 'cmc-chat-counterparty-access-not-found'],
    ['with an access of another app', ({ a }) => updateMark(a, ({ scopeStreamId: _, ...mark }) => ({ ...mark, appCode: 'other' })), 'cmc-chat-counterparty-access-not-found'],
    ['after the relationship has ended', ({ a }) => a.arrange('accesses.delete', { id: a.accessId }), 'cmc-chat-counterparty-access-not-found'],
    ['if the other account refuses it', ({ a }) => setPeerEndpoint(a, `${a.node.url.replace('://', '://unknown@')}${a.username}/`), 'cmc-handler-delivery-rejected'],
  ]
  it.each(failures)('is not delivered %s', async (_, arrange, reason) => {
    const pair = await relatedPair(at())
    await arrange(pair)
    const { content } = await writeAndDeliver(pair.a, pair.a.chat, CHAT, { content: 'hello' })
    expect(content).toMatchObject({ status: 'failed', failure: { reason } })
    expect(await inStream(pair.b, pair.b.chat)).toEqual([])
  })

  it.each([
    ['message/chat-cmc', { content: 'x' }, 'cmc-chat-stream-not-chat'],
    ['notification/ack-cmc', { alertEventId: 'x', ackId: 'y' }, 'cmc-system-stream-not-collector'],
  ])('requires a stream of a channel (%s)', async (type, content, reason) => {
    const { a } = await relatedPair(at())
    expect((await writeAndDeliver(a, SCOPE, type, content)).content).toMatchObject({ status: 'failed', failure: { reason } })
  })

  it('is delivered by a relationship of the app without scope', async () => {
    const { a, b } = await relatedPair(at())
    await updateMark(a, ({ scopeStreamId: _, ...mark }) => mark)
    expect((await writeAndDeliver(a, a.chat, CHAT, { content: 'hello' })).content).toMatchObject({ status: 'completed' })
    expect(await inStream(b, b.chat)).toHaveLength(1)
  })

  it('is delivered by the relationship of its scope, among several with an account', async () => {
    const first = await relatedPair(at())
    const second = await relatedPair(at(), at(), { scope: ':_cmc:apps:study:s2', stages: [first.a, first.b] })
    for (const { a, b } of [first, second]) {
      const { content } = await writeAndDeliver(b, b.chat, CHAT, { content: b.chat })
      expect((await storedEvent(a, String(content['remoteEventId']))).streamIds).toEqual([a.chat])
    }
  })

  it('is delivered once from each of two accounts with the same event id', async () => {
    const first = await relatedPair(at())
    const second = await relatedPair(at())
    const id = 'cabcdefghijklmnopqrstuvwx'
    for (const { a } of [first, second]) await a.arrange('events.create', { id, streamIds: [a.chat], type: CHAT, content: { content: 'one' } })
    await deliverDue(at())
    for (const { b } of [first, second]) expect(await inStream(b, b.chat)).toHaveLength(1)
  })
})

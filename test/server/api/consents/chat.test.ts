/** Chats between accounts: docs/interface/messages.md#chats, docs/interface/consents.md. */
import { describe, expect, it } from 'vitest'
import { withNode } from '../../../support/nodes/started.js'
import { callThrough } from '../../../support/http/methodTable.js'
import { identityOf } from '../../../../src/server/api/consents/identity.js'
import { inStream, quiet, readdress, relatedPair, remark, said, seen, SCOPE, type Related } from './support.js'

const CHAT = 'message/chat-cmc'

describe('a chat', () => {
  const at = withNode()

  it.each(['http', 'batch'] as const)('reaches the other account in both directions, and does not come back (%s)', async (door) => {
    const { a, b } = await relatedPair(at())
    for (const [from, to] of [[a, b], [b, a]] as const) {
      const mine = await said(from, from.chat, CHAT, { content: `from ${from.username}`, from: { username: 'x', host: 'y' } }, { door })
      expect(mine.content).toMatchObject({ status: 'completed', remoteEventId: expect.any(String) as string })
      const theirs = await seen(to, String(mine.content['remoteEventId']))
      expect(theirs).toMatchObject({ type: CHAT, streamIds: [to.chat], createdBy: to.accessId })
      expect(theirs.content).toEqual({ content: `from ${from.username}`, from: identityOf(from.node.node, from.username) })
    }
    expect([await inStream(a, a.chat), await inStream(b, b.chat)].map((events) => events.length)).toEqual([2, 2])
  })

  it.each(['a', 'b', 'both'] as const)('goes on in both directions after %s was given another name', async (who) => {
    const { a, b } = await relatedPair(at())
    for (const side of [a, b]) {
      if (who === 'both' || side === (who === 'a' ? a : b)) await side.arrange('account.changeUsername', { newUsername: `${side.username}-new` })
    }
    for (const [from, to] of [[a, b], [b, a]] as const) {
      const mine = await said(from, from.chat, CHAT, { content: 'after' })
      expect(mine.content).toMatchObject({ status: 'completed' })
      expect(await seen(to, String(mine.content['remoteEventId']))).toMatchObject({ streamIds: [to.chat], content: { content: 'after' } })
    }
    await a.arrange('accesses.delete', { id: a.accessId })
    await quiet(at())
    expect((await said(b, b.chat, CHAT, { content: 'too late' })).content).toMatchObject({ status: 'failed' })
  })

  it.each(['http', 'form', 'batch', 'socket'] as const)('is the same as text alone and as an object (%s)', async (door) => {
    const { a, b } = await relatedPair(at())
    const mine = await said(a, a.chat, CHAT, 'hello', { door })
    expect(mine.content).toEqual({ content: 'hello', status: 'completed', remoteEventId: expect.any(String) as string })
    const theirs = await seen(b, String(mine.content['remoteEventId']))
    expect(theirs.content).toEqual({ content: 'hello', from: identityOf(at().node, a.username) })
    const { status, body } = await callThrough(door, a, a.owner, 'events.update', { id: mine.id, update: { content: 'hello again' } })
    expect([status, (body['event'] as { content?: unknown } | undefined)?.content]).toEqual([200, { content: 'hello again', status: 'completed' }])
  })

  it('is taken from the other account as text alone', async () => {
    const { a, b } = await relatedPair(at())
    const { content } = await said(b, b.chat, CHAT, 'hello', { token: b.token })
    expect(content).toEqual({ content: 'hello', from: identityOf(at().node, a.username) })
  })

  it('is the same in a stream of data', async () => {
    const { a } = await relatedPair(at())
    await a.arrange('streams.create', { id: 'notes', name: 'Notes' })
    expect((await said(a, 'notes', CHAT, 'hello')).content).toEqual({ content: 'hello' })
    const { id } = await said(a, 'notes', 'note/txt', 'hello')
    await a.arrange('events.update', { id, update: { type: CHAT } })
    expect((await seen(a, id)).content).toEqual({ content: 'hello' })
  })

  const failures: [what: string, arrange: (pair: Related) => Promise<unknown> | undefined, reason: string][] = [
    ['where chats are switched off', ({ a }) => remark(a, (mark) => ({ ...mark, features: { chat: false } })), 'cmc-chat-disabled'],
    ['before the address is known', ({ a }) => readdress(a, undefined), 'cmc-chat-no-remote-apiendpoint'],
    [
      'before the stream is known',
      ({ a }) => remark(a, (mark) => ({ ...mark, counterparty: { username: mark.counterparty.username, host: mark.counterparty.host, apiEndpoint: mark.counterparty.apiEndpoint ?? '' } })),
      'cmc-chat-no-remote-chat-stream',
    ],
    ['of another scope', ({ a }) => remark(a, (mark) => ({ ...mark, scopeStreamId: ':_cmc:apps:study:other' })), 'cmc-chat-counterparty-access-not-found'],
    ['of another app', ({ a }) => remark(a, ({ scopeStreamId: _, ...mark }) => ({ ...mark, appCode: 'other' })), 'cmc-chat-counterparty-access-not-found'],
    ['once it has ended', ({ a }) => a.arrange('accesses.delete', { id: a.accessId }), 'cmc-chat-counterparty-access-not-found'],
    ['that the other account refuses', ({ a }) => readdress(a, `${a.node.url.replace('://', '://unknown@')}${a.username}/`), 'cmc-handler-delivery-rejected'],
  ]
  it.each(failures)('is not delivered %s', async (_, arrange, reason) => {
    const pair = await relatedPair(at())
    await arrange(pair)
    const { content } = await said(pair.a, pair.a.chat, CHAT, { content: 'hello' })
    expect(content).toMatchObject({ status: 'failed', failure: { reason } })
    expect(await inStream(pair.b, pair.b.chat)).toEqual([])
  })

  it.each([
    ['message/chat-cmc', { content: 'x' }, 'cmc-chat-stream-not-chat'],
    ['notification/ack-cmc', { alertEventId: 'x', ackId: 'y' }, 'cmc-system-stream-not-collector'],
  ])('needs a channel (%s)', async (type, content, reason) => {
    const { a } = await relatedPair(at())
    expect((await said(a, SCOPE, type, content)).content).toMatchObject({ status: 'failed', failure: { reason } })
  })

  it('goes by a relationship without a scope, of the app', async () => {
    const { a, b } = await relatedPair(at())
    await remark(a, ({ scopeStreamId: _, ...mark }) => mark)
    expect((await said(a, a.chat, CHAT, { content: 'hello' })).content).toMatchObject({ status: 'completed' })
    expect(await inStream(b, b.chat)).toHaveLength(1)
  })

  it('goes by the relationship of its scope, of several with an account', async () => {
    const first = await relatedPair(at())
    const second = await relatedPair(at(), at(), { scope: ':_cmc:apps:study:s2', stages: [first.a, first.b] })
    for (const { a, b } of [first, second]) {
      const { content } = await said(b, b.chat, CHAT, { content: b.chat })
      expect((await seen(a, String(content['remoteEventId']))).streamIds).toEqual([a.chat])
    }
  })

  it('arrives once from each of two accounts that chose the same id', async () => {
    const first = await relatedPair(at())
    const second = await relatedPair(at())
    const id = 'cabcdefghijklmnopqrstuvwx'
    for (const { a } of [first, second]) await a.arrange('events.create', { id, streamIds: [a.chat], type: CHAT, content: { content: 'one' } })
    await quiet(at())
    for (const { b } of [first, second]) expect(await inStream(b, b.chat)).toHaveLength(1)
  })
})

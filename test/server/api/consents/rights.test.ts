/** Rights to write consents and messages, by class of token: docs/interface/consents.md#who-may-write. */
import { beforeAll, describe, expect, it } from 'vitest'
import { MARKER } from '../../../../src/store/model/delegation.js'
import type { Permission } from '../../../../src/store/model/access.js'
import { grantAccess } from '../../../support/people/access.js'
import { actFor, DELEGATE, RELATION } from '../../../support/people/delegatedAccess.js'
import { request } from '../../../support/nodes/node.js'
import { callThrough, type Transport } from '../../../support/http/methodTable.js'
import { connectSocket } from '../../../support/http/socket.js'
import { withNode } from '../../../support/nodes/started.js'
import { offering } from './consentFlow.js'
import { relatedPair, updateMark, writeAndDeliver, SCOPE, storedEvent, type Content, type RelatedPair, type StoredEvent, type Side } from './support.js'

const at = withNode()
const transports: Transport[] = ['http', 'batch', 'socket']

/** Classes of tokens. `granted`: an access that a delegate created. */
const classes = ['personal', 'app', 'shared', 'counterparty', 'capability', 'delegate', 'granted'] as const
type Class = (typeof classes)[number]

let pair: RelatedPair
let b: Side
let tokens: Record<Class, string>
let personalId: string

beforeAll(async () => {
  pair = await relatedPair(at())
  b = pair.b
  const all: Permission[] = [
    { streamId: ':_cmc:apps:study', level: 'manage' },
    { streamId: ':_cmc:inbox', level: 'contribute' },
  ]
  const grant = async (more: Parameters<typeof grantAccess>[3]): Promise<string> => (await grantAccess(at(), b.username, all, more)).token
  const invite = await writeAndDeliver(b, SCOPE, 'consent/request-cmc', offering())
  tokens = {
    personal: b.owner,
    app: await grant({}),
    shared: await grant({ type: 'shared' }),
    counterparty: b.token,
    capability: new URL(String(invite.content['capabilityUrl'])).username,
    delegate: await actFor(b),
    granted: await grant({ clientData: { [MARKER]: { kind: 'delegated-child', relId: RELATION, delegate: DELEGATE, viaAccessId: 'via' } } }),
  }
  personalId = invite.createdBy
})

const text = { en: 'Words' }
const url = 'http://token@127.0.0.1:1/nobody/'
const reads: Permission[] = [{ streamId: 'steps', level: 'read' }]

const GATE = 'cmc-accept-requires-personal-token'
const OWNER = 'delegation-grant-requires-owner'
const NOT_PEER = 'cmc-not-counterparty'
const NOT_HERE = 'cmc-event-type-not-allowed'
const NO = 'forbidden'

/** Expected result by class: 201, or the id of the failure; `rest` applies to unlisted classes. */
type Expected = Partial<Record<Class, 201 | string>> & { rest: 201 | string }

const scope = (): string => SCOPE
const chat = (): string => b.chat
const collector = (): string => b.collector
const inbox = (): string => ':_cmc:inbox'

const own: Expected = { rest: 201, counterparty: NO, capability: NO }
const delivered: Expected = { rest: 201, capability: NO }
const rows: [name: string, where: () => string, type: string, content: Content, expected: Expected][] = [
  ['invites', scope, 'consent/request-cmc', offering(), { ...own, delegate: OWNER, granted: OWNER }],
  ['accepts', scope, 'consent/accept-cmc', { capabilityUrl: url }, { ...own, app: GATE, shared: GATE, delegate: OWNER, granted: OWNER }],
  ['accepts in a channel', chat, 'consent/accept-cmc', { capabilityUrl: url }, { rest: GATE, personal: 201, counterparty: NOT_HERE, capability: NO, delegate: OWNER, granted: OWNER }],
  ['refuses', scope, 'consent/refuse-cmc', { capabilityUrl: url }, own],
  ['chats', chat, 'message/chat-cmc', { content: 'hello' }, delivered],
  ['alerts', collector, 'notification/alert-cmc', { level: 'info', title: text, body: text }, delivered],
  ['acknowledges', collector, 'notification/ack-cmc', { alertEventId: 'a', ackId: 'a' }, delivered],
  ['requests another scope', collector, 'consent/scope-request-cmc', { newPermissions: reads }, delivered],
  ['decides on a scope', collector, 'consent/scope-update-cmc', { scopeRequestEventId: 'none', accept: true }, { ...delivered, app: GATE, shared: GATE, delegate: OWNER, granted: OWNER }],
  ['revokes', scope, 'consent/revoke-cmc', { accessId: 'none' }, own],
  ['revokes in a channel', chat, 'consent/revoke-cmc', { accessId: 'none' }, delivered],
  ['invalidates a link', scope, 'consent/invalidate-link-cmc', { capabilityId: 'none' }, own],
  ['invalidates a link in a channel', chat, 'consent/invalidate-link-cmc', { capabilityId: 'none' }, { ...delivered, counterparty: NOT_HERE }],
  ['writes a back channel', chat, 'consent/back-channel-cmc', { from: { username: 'x', host: 'y' }, apiEndpoint: url }, { ...delivered, counterparty: 'cmc-back-channel-wrong-stream' }],
  ['writes to the inbox', inbox, 'consent/refuse-cmc', { capabilityUrl: url }, { rest: NOT_PEER, counterparty: 201, capability: NO }],
  ['writes a chat to the inbox', inbox, 'message/chat-cmc', { content: 'hello' }, { rest: NOT_PEER, counterparty: NOT_HERE, capability: NO }],
  ['writes a note to the inbox', inbox, 'note/txt', 'hello' as unknown as Content, { rest: NOT_PEER, counterparty: NOT_HERE, capability: NO }],
  ['writes to an internal stream', () => ':_cmc:_internal:retries', 'note/txt', 'hello' as unknown as Content, { rest: NO }],
  ['writes to an unknown stream', () => `${SCOPE}:nothing`, 'message/chat-cmc', { content: 'hello' }, { rest: 'unknown-referenced-resource' }],
  ['writes an unknown event type', scope, 'consent/own-format', { a: 1 }, own],
  ['writes a note', scope, 'note/txt', 'hello' as unknown as Content, own],
]

type Answer = Record<string, unknown>

/** Creates events with one token: in one request each, one batch, or one connection. */
async function createAll(transport: Transport, token: string, all: readonly object[]): Promise<Answer[]> {
  if (transport === 'http') return Promise.all(all.map(async (params) => (await callThrough(transport, b, token, 'events.create', params)).body))
  if (transport === 'batch') {
    const { body } = await request(`${at().url}${b.username}`, { token, body: all.map((params) => ({ method: 'events.create', params })) })
    return body['results'] as Answer[]
  }
  const socket = await connectSocket(at(), b.username, { token })
  const answers = await Promise.all(all.map((params) => socket.call('events.create', params)))
  socket.close()
  return answers.map(({ error, result }) => (error as Answer | null) ?? result ?? {})
}

describe.each(transports)('a class of tokens (%s)', (transport) => {
  it.each(classes)('may write the documented events: %s', async (one) => {
    const answers = await createAll(transport, tokens[one], rows.map(([, where, type, content]) => ({ streamIds: [where()], type, content })))
    const results = answers.map(({ error }, at) => {
      const { id, data } = (error ?? {}) as { id?: string; data?: { id?: string } }
      return [rows[at]?.[0], data?.id ?? id ?? 201]
    })
    expect(results).toEqual(rows.map(([name, , , , expected]) => [name, expected[one] ?? expected.rest]))
    // The sender is set from the access of the counterparty, and not for other classes.
    const peer = { username: pair.a.username, host: new URL(at().url).host }
    for (const [index, { event }] of answers.entries()) {
      const { from } = ((event as StoredEvent | undefined)?.content ?? {}) as { from?: unknown }
      if (event !== undefined) expect([rows[index]?.[0], from]).toEqual([rows[index]?.[0], one === 'counterparty' ? peer : rows[index]?.[3]['from']])
    }
  })

  it('may read the inbox, except counterparty and capability', async () => {
    const counts: Record<string, unknown> = {}
    await callThrough(transport, b, b.token, 'events.create', { streamIds: [':_cmc:inbox'], type: 'consent/refuse-cmc', content: { capabilityUrl: url } })
    for (const one of classes) {
      const { status, body } = await callThrough(transport, b, tokens[one], 'events.get', { streams: [':_cmc:inbox'] })
      counts[one] = status === 200 ? (body['events'] as unknown[]).length > 0 : status
    }
    expect(counts).toEqual({ personal: true, app: true, shared: true, counterparty: 403, capability: 403, delegate: true, granted: true })
  })

  const creators = new Set<Class>(['personal', 'app', 'delegate', 'granted'])
  it('cannot create accesses with the client data key cmc', async () => {
    for (const one of classes) {
      const params = { name: `x-${transport}-${one}`, permissions: [{ streamId: SCOPE, level: 'read' }], clientData: { cmc: {} } }
      const { status, body } = await callThrough(transport, b, tokens[one], 'accesses.create', params)
      const { id, data } = body['error'] as { id: string; data?: { id?: string } }
      // Classes that cannot create accesses are refused for that reason first.
      const mayCreate = creators.has(one)
      expect([one, status, data?.id ?? id]).toEqual(mayCreate ? [one, 400, 'cmc-clientdata-cmc-forbidden'] : [one, 403, 'forbidden'])
    }
  })

  it('is named as sender by its access, and refused if the access names no account', async () => {
    const { b: other } = await relatedPair(at())
    const write = (streamId: string, type: string, content: Content): ReturnType<typeof callThrough> =>
      callThrough(transport, other, other.token, 'events.create', { streamIds: [streamId], type, content })
    const response = await write(other.chat, 'message/chat-cmc', { content: 'hello', from: { username: 'evil', host: 'evil.example' } })
    expect((response.body['event'] as StoredEvent).content['from']).toEqual({ username: other.peer.split('--')[0], host: new URL(at().url).host })
    await updateMark(other, ({ counterparty: _, ...mark }) => mark as never)
    for (const [streamId, type, content] of [
      [':_cmc:inbox', 'consent/refuse-cmc', { capabilityUrl: url }],
      [other.chat, 'message/chat-cmc', { content: 'hello' }],
      [other.collector, 'notification/ack-cmc', { alertEventId: 'a', ackId: 'a' }],
    ] as const) {
      expect(((await write(streamId, type, content)).body['error'] as { data?: unknown } | undefined)?.data).toMatchObject({ id: 'cmc-counterparty-identity-missing' })
    }
  })

  it('cannot deliver events of disabled features', async () => {
    const { a, b: other } = await relatedPair(at())
    await updateMark(other, (mark) => ({ ...mark, features: { chat: false, systemMessaging: false } }))
    const refusals: unknown[] = []
    for (const [streamId, type, content] of [
      [other.chat, 'message/chat-cmc', { content: 'hello' }],
      [other.collector, 'notification/alert-cmc', { level: 'info', title: text, body: text }],
      [other.collector, 'notification/ack-cmc', { alertEventId: 'a', ackId: 'a' }],
      [other.collector, 'consent/scope-request-cmc', { newPermissions: reads }],
    ] as const) {
      const { status, body } = await callThrough(transport, other, other.token, 'events.create', { streamIds: [streamId], type, content })
      refusals.push([status, (body['error'] as { data?: { id?: string } } | undefined)?.data?.id])
    }
    const off = [403, 'cmc-system-messaging-disabled']
    expect(refusals).toEqual([[403, 'cmc-chat-disabled'], off, off, [201, undefined]])
    const { content } = await writeAndDeliver(a, a.chat, 'message/chat-cmc', { content: 'hello' }, { transport })
    expect(content).toMatchObject({ status: 'failed', failure: { reason: 'cmc-handler-delivery-rejected', detail: { status: 403 } } })
  })

  it('cannot change delivered events or the fields set by the node', async () => {
    const accept = await writeAndDeliver(b, SCOPE, 'consent/accept-cmc', { capabilityUrl: url, status: 'completed', failure: {}, approvedBy: 'x', ownerConfirmedAt: 1, withdrawal: {} }, { transport })
    expect(accept.content).toMatchObject({ status: 'failed', failure: { reason: 'cmc-handler-offer-read-failed' } })
    for (const key of ['approvedBy', 'ownerConfirmedAt', 'withdrawal']) expect(accept.content).not.toHaveProperty(key)
    const update = { content: { capabilityUrl: 'http://127.0.0.1:1/nobody/', status: 'completed', withdrawal: { at: 1 }, more: 1 } }
    const { status } = await callThrough(transport, b, b.owner, 'events.update', { id: accept.id, update })
    const after = (await storedEvent(b, accept.id)).content
    expect([status, after]).toMatchObject([200, { status: 'failed', failure: accept.content['failure'], more: 1 }])
    expect(after).not.toHaveProperty('withdrawal')
    const mine = await writeAndDeliver(b, b.chat, 'message/chat-cmc', { content: 'hello' }, { token: b.token, transport })
    for (const [method, more] of [['events.update', { update: { content: { content: 'other' } } }], ['events.delete', {}]] as const) {
      expect((await callThrough(transport, b, b.token, method, { id: mine.id, ...more })).status).toBe(403)
    }
    expect(mine.createdBy).not.toBe(personalId)
  })
})

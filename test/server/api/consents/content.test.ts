/** What messages hold, and how long they are: docs/interface/consents.md#events. */
import { beforeAll, describe, expect, it } from 'vitest'
import { callThrough, type Stage } from '../../../support/http/methodTable.js'
import { withNode } from '../../../support/nodes/started.js'
import { newRequester, offering, SCOPE, type Content } from './agreeing.js'

const at = withNode()
let stage: Stage
beforeAll(async () => {
  stage = await newRequester(at())
})

const text = { en: 'Words' }
const url = 'http://token@127.0.0.1:1/nobody/'
const reads = [{ streamId: 'a', level: 'read' }]
const asking = (request: Content, more: Content = {}): Content => offering(request, { capabilityRequested: false, ...more })
const alert = { level: 'info', title: text, body: text }

type Row = [type: string, content: unknown, answer: 'taken' | 'catalogue' | string]

/** By whom something is refused: the catalogue of types, or the node, with the path that it names. */
const rows: Row[] = [
  ['consent/request-cmc', asking({}), 'taken'],
  ['consent/request-cmc', asking({}, { to: 'ana', more: { any: 1 } }), 'taken'],
  ['consent/request-cmc', asking({}, { to: undefined }), 'catalogue'],
  ['consent/request-cmc', asking({}, { to: 5 }), 'content.to'],
  ['consent/request-cmc', asking({ features: { chat: false, systemMessaging: true }, allowUserChoice: true, customData: { a: [1] }, more: 1 }), 'taken'],
  ['consent/request-cmc', asking({ title: {} }), 'content.request.title'],
  ['consent/request-cmc', asking({ title: { English: 'x' } }), 'content.request.title.English'],
  ['consent/request-cmc', asking({ title: { eng: 'x' } }), 'taken'],
  ['consent/request-cmc', asking({ consent: { en: 5 } }), 'content.request.consent.en'],
  ['consent/request-cmc', asking({ permissions: [] }), 'catalogue'],
  ['consent/request-cmc', asking({ permissions: [{ streamId: 'a', level: 'none' }] }), 'taken'],
  ['consent/request-cmc', asking({ permissions: [{ streamId: 'a', level: 'own' }] }), 'catalogue'],
  ['consent/request-cmc', asking({ permissions: [{ streamId: 'a', level: 'read', mandatory: true, optIn: true }] }), 'content.request.permissions.0'],
  ['consent/request-cmc', asking({ permissions: [{ feature: 'selfRevoke', setting: 'forbidden', optIn: true }] }), 'taken'],
  ['consent/request-cmc', asking({ expiresAt: 'soon' }), 'catalogue'],
  ['consent/request-cmc', asking({}, { requesterMeta: { appId: 5 } }), 'catalogue'],
  ['consent/accept-cmc', { capabilityUrl: url, extra: { chat: false }, grantedPermissions: reads }, 'taken'],
  ['consent/accept-cmc', {}, 'content.capabilityUrl'],
  ['consent/accept-cmc', { capabilityUrl: '' }, 'content.capabilityUrl'],
  ['consent/accept-cmc', { capabilityUrl: url, accessName: 5 }, 'catalogue'],
  ['consent/refuse-cmc', { capabilityUrl: url, reason: text }, 'taken'],
  ['consent/refuse-cmc', { reason: text }, 'catalogue'],
  ['consent/refuse-cmc', { capabilityUrl: '' }, 'content.capabilityUrl'],
  ['consent/refuse-cmc', { capabilityUrl: url, reason: 'no' }, 'catalogue'],
  ['consent/revoke-cmc', { accessId: 'a', reason: text }, 'taken'],
  ['consent/revoke-cmc', { accessId: '' }, 'content.accessId'],
  ['consent/revoke-cmc', { accessId: 'a', reason: {} }, 'content.reason'],
  ['consent/invalidate-link-cmc', { capabilityId: 'a' }, 'taken'],
  ['consent/invalidate-link-cmc', { capabilityId: '' }, 'catalogue'],
  ['consent/back-channel-cmc', { from: { username: 'a', host: 'h' }, apiEndpoint: url }, 'taken'],
  ['consent/back-channel-cmc', { from: { username: 'a' }, apiEndpoint: url }, 'catalogue'],
  ['consent/scope-request-cmc', { newPermissions: reads, expires: 5, message: text }, 'taken'],
  ['consent/scope-request-cmc', { newPermissions: reads, expires: 'soon' }, 'catalogue'],
  ['consent/scope-request-cmc', { newPermissions: [] }, 'catalogue'],
  ['consent/scope-update-cmc', { scopeRequestEventId: 'a', accept: false }, 'taken'],
  ['consent/scope-update-cmc', { newPermissions: reads, accessId: 'a' }, 'taken'],
  ['consent/scope-update-cmc', {}, 'content'],
  ['consent/scope-update-cmc', { scopeRequestEventId: 'a' }, 'content'],
  ['message/chat-cmc', { content: 'x' }, 'taken'],
  ['message/chat-cmc', { content: 'x'.repeat(10_240) }, 'taken'],
  ['message/chat-cmc', { content: 'x'.repeat(10_241) }, 'catalogue'],
  ['message/chat-cmc', { content: '' }, 'catalogue'],
  ['message/chat-cmc', 'hello', 'taken'],
  ['message/chat-cmc', 'x'.repeat(10_240), 'taken'],
  ['message/chat-cmc', 'x'.repeat(10_241), 'catalogue'],
  ['message/chat-cmc', '', 'catalogue'],
  ['message/chat-cmc', 5, 'catalogue'],
  ['message/chat-cmc', ['hello'], 'catalogue'],
  ['notification/alert-cmc', { ...alert, code: 'c', ackId: 'a', ackRequired: true }, 'taken'],
  ['notification/alert-cmc', { ...alert, level: 'loud' }, 'catalogue'],
  ['notification/alert-cmc', { ...alert, title: {} }, 'content.title'],
  ['notification/alert-cmc', { level: 'info', title: text }, 'catalogue'],
  ['notification/ack-cmc', { alertEventId: 'a', ackId: 'a' }, 'taken'],
  ['notification/ack-cmc', { alertEventId: 'a' }, 'catalogue'],
  ['consent/own-format', 'anything', 'taken'],
]

describe('a message', () => {
  it.each(rows.map((row, at) => [at + 1, ...row] as const))('%i: %s', async (_, type, content, answer) => {
    const { status, body } = await callThrough('http', stage, stage.owner, 'events.create', { streamIds: [SCOPE], type, content })
    if (answer === 'taken') return expect([status, body['error']]).toEqual([201, undefined])
    const { id, data } = body['error'] as { id: string; data: { id?: string; errors?: string[] } }
    if (answer === 'catalogue') return expect([status, id, Array.isArray(data)]).toEqual([400, 'invalid-parameters-format', true])
    expect([status, id, data.id]).toEqual([400, 'invalid-operation', 'cmc-invalid-event-content'])
    expect(data.errors?.map((error) => error.split(':')[0])).toEqual(expect.arrayContaining([answer]))
  })
})

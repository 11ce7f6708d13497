/** Validation of the content of consent events and messages: docs/interface/consents.md#events. */
import { beforeAll, describe, expect, it } from 'vitest'
import { callThrough, type Stage } from '../../../support/http/methodTable.js'
import { withNode } from '../../../support/nodes/started.js'
import { newRequester, offering, SCOPE, type Content } from './consentFlow.js'

const at = withNode()
let stage: Stage
beforeAll(async () => {
  stage = await newRequester(at())
})

const text = { en: 'Words' }
const url = 'http://token@127.0.0.1:1/nobody/'
const reads = [{ streamId: 'a', level: 'read' }]
const consentRequest = (request: Content, more: Content = {}): Content => offering(request, { capabilityRequested: false, ...more })
const alert = { level: 'info', title: text, body: text }

type Row = [type: string, content: unknown, result: 'accepted' | 'catalogue' | string]

/** Expected result: accepted, refused by the catalogue of types, or refused by the node with this path. */
const rows: Row[] = [
  ['consent/request-cmc', consentRequest({}), 'accepted'],
  ['consent/request-cmc', consentRequest({}, { to: 'ana', more: { any: 1 } }), 'accepted'],
  ['consent/request-cmc', consentRequest({}, { to: undefined }), 'catalogue'],
  ['consent/request-cmc', consentRequest({}, { to: 5 }), 'content.to'],
  ['consent/request-cmc', consentRequest({ features: { chat: false, systemMessaging: true }, allowUserChoice: true, customData: { a: [1] }, more: 1 }), 'accepted'],
  ['consent/request-cmc', consentRequest({ title: {} }), 'content.request.title'],
  ['consent/request-cmc', consentRequest({ title: { English: 'x' } }), 'content.request.title.English'],
  ['consent/request-cmc', consentRequest({ title: { eng: 'x' } }), 'accepted'],
  ['consent/request-cmc', consentRequest({ consent: { en: 5 } }), 'content.request.consent.en'],
  ['consent/request-cmc', consentRequest({ permissions: [] }), 'catalogue'],
  ['consent/request-cmc', consentRequest({ permissions: [{ streamId: 'a', level: 'none' }] }), 'accepted'],
  ['consent/request-cmc', consentRequest({ permissions: [{ streamId: 'a', level: 'own' }] }), 'catalogue'],
  ['consent/request-cmc', consentRequest({ permissions: [{ streamId: 'a', level: 'read', mandatory: true, optIn: true }] }), 'content.request.permissions.0'],
  ['consent/request-cmc', consentRequest({ permissions: [{ feature: 'selfRevoke', setting: 'forbidden', optIn: true }] }), 'accepted'],
  ['consent/request-cmc', consentRequest({ expiresAt: 'soon' }), 'catalogue'],
  ['consent/request-cmc', consentRequest({}, { requesterMeta: { appId: 5 } }), 'catalogue'],
  ['consent/accept-cmc', { capabilityUrl: url, extra: { chat: false }, grantedPermissions: reads }, 'accepted'],
  ['consent/accept-cmc', {}, 'content.capabilityUrl'],
  ['consent/accept-cmc', { capabilityUrl: '' }, 'content.capabilityUrl'],
  ['consent/accept-cmc', { capabilityUrl: url, accessName: 5 }, 'catalogue'],
  ['consent/refuse-cmc', { capabilityUrl: url, reason: text }, 'accepted'],
  ['consent/refuse-cmc', { reason: text }, 'catalogue'],
  ['consent/refuse-cmc', { capabilityUrl: '' }, 'content.capabilityUrl'],
  ['consent/refuse-cmc', { capabilityUrl: url, reason: 'no' }, 'catalogue'],
  ['consent/revoke-cmc', { accessId: 'a', reason: text }, 'accepted'],
  ['consent/revoke-cmc', { accessId: '' }, 'content.accessId'],
  ['consent/revoke-cmc', { accessId: 'a', reason: {} }, 'content.reason'],
  ['consent/invalidate-link-cmc', { capabilityId: 'a' }, 'accepted'],
  ['consent/invalidate-link-cmc', { capabilityId: '' }, 'catalogue'],
  ['consent/back-channel-cmc', { from: { username: 'a', host: 'h' }, apiEndpoint: url }, 'accepted'],
  ['consent/back-channel-cmc', { from: { username: 'a' }, apiEndpoint: url }, 'catalogue'],
  ['consent/scope-request-cmc', { newPermissions: reads, expires: 5, message: text }, 'accepted'],
  ['consent/scope-request-cmc', { newPermissions: reads, expires: 'soon' }, 'catalogue'],
  ['consent/scope-request-cmc', { newPermissions: [] }, 'catalogue'],
  ['consent/scope-update-cmc', { scopeRequestEventId: 'a', accept: false }, 'accepted'],
  ['consent/scope-update-cmc', { newPermissions: reads, accessId: 'a' }, 'accepted'],
  ['consent/scope-update-cmc', {}, 'content'],
  ['consent/scope-update-cmc', { scopeRequestEventId: 'a' }, 'content'],
  ['message/chat-cmc', { content: 'x' }, 'accepted'],
  ['message/chat-cmc', { content: 'x'.repeat(10_240) }, 'accepted'],
  ['message/chat-cmc', { content: 'x'.repeat(10_241) }, 'catalogue'],
  ['message/chat-cmc', { content: '' }, 'catalogue'],
  ['message/chat-cmc', 'hello', 'accepted'],
  ['message/chat-cmc', 'x'.repeat(10_240), 'accepted'],
  ['message/chat-cmc', 'x'.repeat(10_241), 'catalogue'],
  ['message/chat-cmc', '', 'catalogue'],
  ['message/chat-cmc', 5, 'catalogue'],
  ['message/chat-cmc', ['hello'], 'catalogue'],
  ['notification/alert-cmc', { ...alert, code: 'c', ackId: 'a', ackRequired: true }, 'accepted'],
  ['notification/alert-cmc', { ...alert, level: 'loud' }, 'catalogue'],
  ['notification/alert-cmc', { ...alert, title: {} }, 'content.title'],
  ['notification/alert-cmc', { level: 'info', title: text }, 'catalogue'],
  ['notification/ack-cmc', { alertEventId: 'a', ackId: 'a' }, 'accepted'],
  ['notification/ack-cmc', { alertEventId: 'a' }, 'catalogue'],
  ['consent/own-format', 'anything', 'accepted'],
]

describe('the content of an event', () => {
  it.each(rows.map((row, at) => [at + 1, ...row] as const))('is validated in row %i: %s', async (_, type, content, result) => {
    const { status, body } = await callThrough('http', stage, stage.owner, 'events.create', { streamIds: [SCOPE], type, content })
    if (result === 'accepted') return expect([status, body['error']]).toEqual([201, undefined])
    const { id, data } = body['error'] as { id: string; data: { id?: string; errors?: string[] } }
    if (result === 'catalogue') return expect([status, id, Array.isArray(data)]).toEqual([400, 'invalid-parameters-format', true])
    expect([status, id, data.id]).toEqual([400, 'invalid-operation', 'cmc-invalid-event-content'])
    expect(data.errors?.map((error) => error.split(':')[0])).toEqual(expect.arrayContaining([result]))
  })
})

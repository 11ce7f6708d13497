/**
 * Invites: creation and validation of their links, and rights to write them (docs/interface/consents.md#links,
 * docs/interface/consents.md#who-may-write).
 */
import { expect, it } from 'vitest'
import { findLink, listAccesses } from '../../../../src/store/accesses/accesses.js'
import type { Permission } from '../../../../src/store/model/access.js'
import { fakeClock } from '../../../support/nodes/clock.js'
import { request } from '../../../support/nodes/node.js'
import { describeMethod, newStage, type Row, type Stage } from '../../../support/http/methodTable.js'
import { withNode } from '../../../support/nodes/started.js'
import { accountOf, APP, invite, newRequester, offering, SCOPE } from './consentFlow.js'

type Content = Record<string, unknown>

const node = withNode({}, { clock: fakeClock() })
const NOW = 1_700_000_000
const DAY = 86_400

it('an invite creates two streams, an offer and an access', async () => {
  const alice = await newRequester(node())
  const { id, content } = await invite(alice, offering({ customData: { a: 1 } }, { capability: { mode: 'whatever' } }))
  const { capabilityId, capabilityUrl } = content
  const account = await accountOf(alice)
  const link = findLink(account.db, node().node.store.seal, account.prefix, String(capabilityId))
  expect(content).toMatchObject({
    ...{ status: 'pending', capabilityExpiresAt: NOW + 7 * DAY, capabilityAccessId: link?.access.id, capabilityRequested: true },
    capabilityUrl: `${node().url.replace('://', `://${link?.token.reveal()}@`)}${alice.username}/`,
  })
  const [offers, responses] = ['offer', 'responses'].map((kind) => `:_cmc:_internal:${kind}:${String(capabilityId)}`)
  expect(link?.access).toMatchObject({
    ...{ type: 'shared', name: `__cmc-cap-${String(capabilityId).slice(0, 8)}`, expires: NOW + 7 * DAY },
    permissions: [{ streamId: offers, level: 'read' }, { streamId: responses, level: 'create-only' }],
    clientData: {
      cmc: { kind: 'capability', capabilityId, requestEventId: id, singleUse: true, capability: { mode: 'single-use', state: 'open', stateChangedAt: NOW } },
    },
  })
  expect(account.tree.get(offers ?? '')).toMatchObject({
    ...{ name: `CMC capability offer ${String(capabilityId)}`, parentId: ':_cmc:_internal' },
    clientData: { cmc: { kind: 'capability-offer', capabilityId } },
  })
  const { origin, pathname, username } = new URL(String(capabilityUrl))
  const { body } = await request(`${origin}${pathname}events?types[]=consent/request-cmc`, { token: username })
  const [offer, ...more] = body['events'] as { id: string; content: Content }[]
  expect([more, offer?.id === id]).toEqual([[], false])
  const { capabilityRequested: _, ...offered } = offering({ customData: { a: 1 } }, { capability: { mode: 'whatever' } })
  const requester = { requesterUsername: alice.username, requesterHost: new URL(node().url).host }
  expect(offer?.content).toEqual({ ...offered, capabilityId, originStreamId: SCOPE, ...requester })
})

const requestWith = (mode: string, expiresAt: unknown): Content => offering({ expiresAt }, { capability: { mode } })

it.each<[string, string, unknown, number | null | string]>([
  ['omitted', 'single-use', undefined, 7 * DAY],
  ['omitted', 'open-link', undefined, 7 * DAY],
  ['minimum', 'single-use', 60, 60],
  ['maximum', 'single-use', 30 * DAY, 30 * DAY],
  ['too short', 'single-use', 59, 'cmc-capability-ttl-out-of-range'],
  ['too long', 'single-use', 30 * DAY + 1, 'cmc-capability-ttl-out-of-range'],
  ['past', 'single-use', -1, 'cmc-capability-ttl-out-of-range'],
  ['too short', 'open-link', 59, 'cmc-capability-ttl-out-of-range'],
  ['long', 'open-link', 3650 * DAY, 3650 * DAY],
  ['none', 'open-link', null, null],
  ['none', 'single-use', null, 'cmc-capability-no-expiry-not-allowed'],
])('the lifetime of an invite is validated: %s, %s', async (_it, mode, ttl, expected) => {
  const alice = await newRequester(node())
  const content = requestWith(mode, typeof ttl === 'number' ? NOW + ttl : ttl)
  const creation = invite(alice, content)
  if (typeof expected !== 'string') {
    expect((await creation).content['capabilityExpiresAt']).toBe(expected === null ? null : NOW + expected)
    return
  }
  await expect(creation).rejects.toThrow(expected)
  if (expected === 'cmc-capability-ttl-out-of-range') {
    await expect(creation).rejects.toThrow(`"minTtlSeconds":60,"maxTtlSeconds":${mode === 'open-link' ? 'null' : '2592000'}`)
  }
  const account = await accountOf(alice)
  const all = await listAccesses(account, node().node.store.seal)
  expect(all.filter(({ access }) => access.clientData?.['cmc'] !== undefined)).toEqual([])
  const { events } = await alice.arrange('events.get', { streams: [SCOPE] })
  expect(events).toEqual([])
})

const transports: Row['only'] = ['http', 'batch']
const url = 'http://token@127.0.0.1:1/nobody/'

const createAppStream = async (stage: Stage): Promise<void> => {
  await stage.arrange('streams.create', { id: APP, name: 'Study', parentId: ':_cmc:apps' })
}
const writing = (type: string, content: unknown, streamId = APP) => async (stage: Stage): Promise<unknown> => {
  await createAppStream(stage)
  return { streamIds: [streamId], type, content }
}
const manage: Permission[] = [{ streamId: APP, level: 'manage' }]
const row = (it: string, given: Row['given'], rest: Omit<Row, 'it' | 'given'>): Row => ({ it, only: transports, ...(given === undefined ? {} : { given }), ...rest })
const gate = (eventType: string): Pick<Row, 'gives' | 'data'> => ({
  gives: [400, 'invalid-operation'],
  data: { id: 'cmc-accept-requires-personal-token', eventType },
})
const placeholders: [string, Content][] = [
  ['consent/refuse-cmc', { capabilityUrl: url }],
  ['consent/revoke-cmc', { accessId: 'unknown' }],
  ['consent/invalidate-link-cmc', { capabilityId: 'unknown' }],
]

describeMethod('events.create', [
  row('an app can create an invite', writing('consent/request-cmc', offering()), { as: manage, gives: 201, result: { event: { content: { status: 'pending' } } } }),
  row('a request without link has no status', writing('consent/request-cmc', offering({}, { capabilityRequested: false })), {
    gives: 201,
    then: ({ event }) => expect((event as { content: Content }).content['status']).toBeUndefined(),
  }),
  row('the status is not accepted from clients', writing('consent/request-cmc', offering({}, { capabilityRequested: false, status: 'accepted' })), {
    gives: 201,
    then: ({ event }) => expect((event as { content: Content }).content['status']).toBeUndefined(),
  }),
  row('a request requires the request field', writing('consent/request-cmc', { to: null }), { gives: [400, 'invalid-parameters-format'] }),
  row('a permission cannot be both mandatory and optIn', writing('consent/request-cmc', offering({ permissions: [{ streamId: 'a', level: 'read', mandatory: true, optIn: true }] })), {
    gives: [400, 'invalid-operation'],
  }),
  row('other event types are not validated', writing('consent/own-format', { a: 1 }), { gives: 201 }),
  row('the owner can accept in a stream that does not exist yet', () => ({ streamIds: [`${APP}:deep`], type: 'consent/accept-cmc', content: { capabilityUrl: url } }), {
    gives: 201,
    result: { event: { content: { capabilityUrl: 'http://127.0.0.1:1/nobody/' } } },
  }),
  row('an app cannot accept', writing('consent/accept-cmc', { capabilityUrl: url }), { as: manage, ...gate('consent/accept-cmc') }),
  row('an app cannot change granted permissions', writing('consent/scope-update-cmc', { scopeRequestEventId: 'a', accept: true }), {
    as: manage,
    ...gate('consent/scope-update-cmc'),
  }),
  ...placeholders.map(([type, content]) => row(`an app can write ${type}`, writing(type, content), { as: manage, gives: 201 })),
  row('the owner cannot write to the inbox', writing('consent/revoke-cmc', { accessId: 'a' }, ':_cmc:inbox'), {
    gives: [400, 'invalid-operation'],
    data: { id: 'cmc-not-counterparty', streamId: ':_cmc:inbox' },
  }),
])

it('a link token cannot create invites, read other streams, or access other accounts', async () => {
  const alice = await newRequester(node())
  const { content } = await invite(alice)
  const { origin, pathname, username: token } = new URL(String(content['capabilityUrl']))
  const root = `${origin}${pathname}`
  const body = { streamIds: [SCOPE], type: 'consent/request-cmc', content: offering() }
  expect((await request(`${root}events`, { token, body })).status).toBe(403)
  expect((await request(`${root}events?streams[]=${SCOPE}`, { token })).body['events']).toBeUndefined()
  const stranger = await newStage(node())
  expect((await request(`${node().url}${stranger.username}/events`, { token })).status).toBe(403)
})

/** Refusals of generic methods: streams of shared secrets and delegations, and consent by delegates. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accountKeys } from '../../../../src/store/engine/keys.js'
import type { Marker } from '../../../../src/store/model/delegation.js'
import { grantAccess } from '../../../support/people/access.js'
import { startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { callThrough, newStage, type Transport, type Stage } from '../../../support/http/methodTable.js'

let node: TestNode
let stage: Stage
let all: string
/** Ids of an event and a shared secret of the owner. */
let event: string
let secret: string
const SECRETS = ':_shared-secrets:'
const note = { type: 'note/txt', content: 'x' }
beforeAll(async () => {
  node = await startTestNode()
  stage = await newStage(node)
  await stage.arrange('streams.create', { id: 'heart', name: 'heart' })
  event = ((await stage.arrange('events.create', { streamIds: ['heart'], ...note }))['event'] as { id: string }).id
  const created = await stage.arrange('sharedSecrets.create', { ttl: 60, title: 't', onConsumed: { message: 'm' }, secret: 1 })
  secret = (created['sharedSecret'] as { id: string }).id
  all = await stage.app([{ streamId: '*', level: 'manage' }])
})
afterAll(() => node.stop())

type Case = [action: string, method: string, params: () => unknown, status: number, id: string, dataId: string]

const cases: Case[] = [
  ['an event in the root of secrets', 'events.create', () => ({ streamIds: [SECRETS], ...note }), 403, 'forbidden', 'shared-secret-reserved-stream'],
  ['an event in a stream of secrets', 'events.create', () => ({ streamId: `${SECRETS}x`, ...note }), 403, 'forbidden', 'shared-secret-reserved-stream'],
  ['an event in a stream of secrets and another', 'events.create', () => ({ streamIds: ['heart', `${SECRETS}x`], ...note }), 403, 'forbidden', 'shared-secret-reserved-stream'],
  ['a forged secret in its stream, by the stream', 'events.create', () => ({ streamIds: [`${SECRETS}x`], type: 'shared-secret/item' }), 403, 'forbidden', 'shared-secret-reserved-stream'],
  ['a forged secret in another stream, with any content', 'events.create', () => ({ streamIds: ['heart'], type: 'shared-secret/item', content: 5 }), 403, 'forbidden', 'shared-secret-reserved-type'],
  ['a forged secret in an unknown stream', 'events.create', () => ({ streamIds: ['nowhere'], type: 'shared-secret/item' }), 403, 'forbidden', 'shared-secret-reserved-type'],
  ['moving an event to a stream of secrets', 'events.update', () => ({ id: event, update: { streamIds: [`${SECRETS}x`] } }), 403, 'forbidden', 'shared-secret-reserved-type'],
  ['moving an event to the root of secrets', 'events.update', () => ({ id: event, update: { streamId: SECRETS } }), 403, 'forbidden', 'shared-secret-reserved-type'],
  ['changing an event to a secret', 'events.update', () => ({ id: event, update: { type: 'shared-secret/item' } }), 403, 'forbidden', 'shared-secret-reserved-type'],
  ['updating a secret', 'events.update', () => ({ id: secret, update: { content: { status: 'pending' } } }), 403, 'forbidden', 'shared-secret-immutable'],
  ['trashing a secret', 'events.update', () => ({ id: secret, update: { trashed: true } }), 403, 'forbidden', 'shared-secret-immutable'],
  ['moving a secret to another stream', 'events.update', () => ({ id: secret, update: { streamIds: ['heart'] } }), 403, 'forbidden', 'shared-secret-immutable'],
  ['moving a secret to another stream of secrets', 'events.update', () => ({ id: secret, update: { streamIds: [`${SECRETS}y`] } }), 403, 'forbidden', 'shared-secret-immutable'],
  ['creating the root of secrets', 'streams.create', () => ({ id: SECRETS, name: 'n' }), 400, 'invalid-operation', 'shared-secret-reserved-stream'],
  ['creating a stream of secrets', 'streams.create', () => ({ id: `${SECRETS}x`, name: 'n' }), 400, 'invalid-operation', 'shared-secret-reserved-stream'],
  ['creating a stream below secrets', 'streams.create', () => ({ name: 'n', parentId: `${SECRETS}x` }), 400, 'invalid-operation', 'shared-secret-reserved-stream'],
  ['moving a stream below secrets', 'streams.update', () => ({ id: 'heart', update: { parentId: SECRETS } }), 400, 'invalid-operation', 'shared-secret-reserved-stream'],
  ['renaming a stream of secrets', 'streams.update', () => ({ id: `${SECRETS}x`, update: { name: 'n' } }), 400, 'invalid-operation', 'shared-secret-reserved-stream'],
  ['deleting the root of secrets', 'streams.delete', () => ({ id: SECRETS }), 400, 'invalid-operation', 'shared-secret-reserved-stream'],
  ['an event in a stream of delegations', 'events.create', () => ({ streamIds: [':_delegation:_internal:delegates'], ...note }), 400, 'invalid-operation', 'delegation-reserved-stream'],
  ['a forged delegation', 'events.create', () => ({ streamIds: ['heart'], type: 'delegation/delegate', content: {} }), 400, 'invalid-operation', 'delegation-reserved-stream'],
  ['moving an event to the root of delegations', 'events.update', () => ({ id: event, update: { streamIds: [':_delegation:'] } }), 400, 'invalid-operation', 'delegation-reserved-stream'],
  ['changing an event to a delegation', 'events.update', () => ({ id: event, update: { type: 'delegation/controlled' } }), 400, 'invalid-operation', 'delegation-reserved-stream'],
  ['updating a delegation', 'events.update', () => ({ id: 'relation', update: { content: {} } }), 400, 'invalid-operation', 'delegation-managed-resource'],
  ['deleting a delegation', 'events.delete', () => ({ id: 'relation' }), 400, 'invalid-operation', 'delegation-managed-resource'],
  ['deleting a delegation on the side of the delegate', 'events.delete', () => ({ id: 'mirrored' }), 400, 'invalid-operation', 'delegation-managed-resource'],
  ['creating the root of delegations', 'streams.create', () => ({ id: ':_delegation:', name: 'n' }), 400, 'invalid-operation', 'delegation-reserved-stream'],
  ['creating a stream below delegations', 'streams.create', () => ({ name: 'n', parentId: ':_delegation:_internal' }), 400, 'invalid-operation', 'delegation-reserved-stream'],
  ['deleting a stream of delegations', 'streams.delete', () => ({ id: ':_delegation:_internal' }), 400, 'invalid-operation', 'delegation-reserved-stream'],
]

describe('generic methods', () => {
  beforeAll(async () => {
    const loaded = await node.node.accounts.find(stage.username)
    await loaded?.account.write((t) => {
      t.put(accountKeys.delegate(t.account, 'relation'), '{}')
      t.put(accountKeys.controlled(t.account, 'mirrored'), '{}')
    })
  })

  it.each(cases)('refuse %s', async (_, method, params, status, id, dataId) => {
    for (const token of [stage.owner, all]) {
      const { status: actualStatus, body } = await callThrough('http', stage, token, method, params())
      expect({ status: actualStatus, error: body['error'] }).toMatchObject({ status, error: { id, data: { id: dataId } } })
    }
    const transports: Transport[] = ['batch', 'socket']
    for (const transport of transports) {
      const { body } = await callThrough(transport, stage, stage.owner, method, params())
      expect(body['error']).toMatchObject({ id, data: { id: dataId } })
    }
  })

  it('accept ids and types that only resemble reserved ones', async () => {
    for (const id of ['shared-secrets', 'delegation', '_shared-secrets']) {
      expect((await callThrough('http', stage, stage.owner, 'streams.create', { id, name: id })).status).toBe(201)
    }
    expect((await callThrough('http', stage, stage.owner, 'events.create', { streamIds: ['heart'], type: 'delegations/x', content: 1 })).status).toBe(201)
  })

  it('return no delegations, without an error', async () => {
    for (const streams of [[':_delegation:'], [':_delegation:_internal:delegates']]) {
      expect((await stage.arrange('events.get', { streams }))['events']).toEqual([])
    }
    expect((await stage.arrange('streams.get', { parentId: ':_delegation:' }))['streams']).toEqual([])
    expect((await callThrough('http', stage, stage.owner, 'events.getOne', { id: 'relation' })).status).toBe(404)
  })
})

describe('consent by a delegate', () => {
  const delegate = { username: 'ana', hostSlug: 'example-org' }
  const pat: Marker = { kind: 'delegate-pat', relId: 'r', delegate }
  const child: Marker = { kind: 'delegated-child', relId: 'r', delegate, viaAccessId: 'x' }

  it.each<[string, Marker]>([['its own token', pat], ['an access granted with it', child]])('is refused: %s', async (_, delegation) => {
    const { token } = await grantAccess(node, stage.username, [{ streamId: '*', level: 'manage' }], { clientData: { delegation } })
    for (const type of ['consent/request-cmc', 'consent/scope-update-cmc', 'consent/accept-cmc']) {
      const newEvent = { streamIds: ['heart'], type, content: 5 }
      for (const [method, params] of [['events.create', newEvent], ['events.update', { id: event, update: { type } }]] as const) {
        const { status, body } = await callThrough('http', stage, token, method, params)
        expect({ status, error: body['error'] }).toMatchObject({ status: 400, error: { id: 'invalid-operation', data: { id: 'delegation-grant-requires-owner' } } })
      }
    }
    const { status } = await callThrough('http', stage, token, 'events.create', { streamIds: ['heart'], ...note })
    expect(status).toBe(201)
  })

  it('passes the check of reserved types for the owner', async () => {
    const { body } = await callThrough('http', stage, stage.owner, 'events.create', { streamIds: ['heart'], type: 'consent/request-cmc', content: 5 })
    expect((body['error'] as { id: string } | undefined)?.id).not.toBe('invalid-operation')
  })
})

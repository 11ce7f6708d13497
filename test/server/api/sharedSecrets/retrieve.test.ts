/**
 * Redemption and status of a secret (docs/interface/shared-secrets.md#redemption, docs/interface/shared-secrets.md#status).
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventIntegrity } from '../../../../src/store/model/integrity.js'
import { fakeClock } from '../../../support/nodes/clock.js'
import { expectSound } from '../../../support/store/check.js'
import { homes } from '../../../support/nodes/home.js'
import { request, startTestNode, type Answer, type TestNode } from '../../../support/nodes/node.js'
import { callThrough, newStage, type Stage } from '../../../support/http/methodTable.js'
import { accessIdOf, half, hashOf, hmacOf, itemsOf, createSecret, onConsumed, plain, redeem, statusOf, type Item } from './support.js'

const clock = fakeClock()
const { home } = homes()
let node: TestNode
let stage: Stage
let token: string
beforeAll(async () => {
  node = await startTestNode({}, { clock, home: (await home()).home })
  stage = await newStage(node)
  token = await stage.app([])
})
afterAll(() => node.stop())

const unavailable = { status: 403, body: { error: { id: 'forbidden', message: onConsumed.message, data: { id: 'shared-secret-unavailable', returnUrl: onConsumed.returnUrl } } } }
const redeemed = { status: 200, body: { secret: plain.secret } }

/** Returns the item of an id in any state. */
async function itemOf(id: string): Promise<Item> {
  const streams = `:_shared-secrets:${await accessIdOf(stage, token)}`
  const found = (await itemsOf(stage, token, { streams, state: 'all', limit: '1000' })).find((one) => one.id === id)
  if (found === undefined) throw new Error('no such item')
  return found
}

describe('redemption', () => {
  it('returns the value once to a holder of the key', async () => {
    const { id, key } = await createSecret(stage, token)
    clock.pass(10)
    const before = await itemOf(id)
    expect(await redeem(stage, key)).toMatchObject(redeemed)
    const again = await redeem(stage, key)
    expect(again).toMatchObject(unavailable)
    expect(JSON.stringify(again.body)).not.toContain('deep')
    const after = await itemOf(id)
    expect(after).toMatchObject({
      trashed: true,
      type: 'shared-secret/item',
      modified: clock.now(),
      content: {
        title: 'a note',
        status: 'consumed',
        statusHistory: [{ status: 'pending', time: before.time }, { status: 'consumed', time: clock.now() }],
      },
    })
    expect(after.content).not.toHaveProperty('secret')
    for (const one of [before, after]) {
      const { integrity, ...rest } = one
      expect(integrity).toBe(eventIntegrity(rest as Parameters<typeof eventIntegrity>[0], 'sha256'))
    }
    expect(after.integrity).not.toBe(before.integrity)
  })

  it.each<[string, unknown]>([
    ['a text', 'x'],
    ['an empty text', ''],
    ['a list with an empty object', [{}]],
    ['zero', 0],
    ['false', false],
    ['odd names and characters', { __proto__x: 1, '\u2028': '\ud800', a: { b: [[]] } }],
  ])('returns %s unchanged', async (_, secret) => {
    const { key } = await createSecret(stage, token, { secret })
    expect((await redeem(stage, key)).body['secret']).toEqual(secret)
  })

  it('returns keys named like inherited properties', async () => {
    const body = JSON.stringify(plain).replace('{"deep"', '{"__proto__":{"x":1},"deep"')
    const { body: created } = await request(`${node.url}${stage.username}/shared-secrets`, { token, body })
    const { key } = created['sharedSecret'] as { key: string }
    const answer = await fetch(`${node.url}${stage.username}/shared-secrets/retrieve`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ key }),
    })
    expect(await answer.text()).toContain('{"__proto__":{"x":1},"deep"')
  })

  it('is possible until the exact expiry', async () => {
    const [one, other] = [await createSecret(stage, token, { ttl: 60 }), await createSecret(stage, token, { ttl: 60 })]
    clock.pass(60)
    expect(await statusOf(stage, token, other.key)).toMatchObject({ status: 'pending' })
    expect(await redeem(stage, one.key)).toMatchObject(redeemed)
    clock.pass(0.001)
    expect(await statusOf(stage, token, other.key)).toMatchObject({ status: 'discarded', expired: true })
    expect((await itemOf(other.id)).content).toMatchObject({ status: 'pending' })
    expect(await redeem(stage, other.key)).toMatchObject(unavailable)
    expect(await redeem(stage, other.key)).toMatchObject(unavailable)
    const { content } = await itemOf(other.id)
    expect(content).toMatchObject({ status: 'discarded', statusHistory: [{}, { status: 'discarded', info: 'expired' }] })
    expect(content['statusHistory']).toHaveLength(2)
    const statusAfter = await statusOf(stage, token, other.key)
    expect(statusAfter).toMatchObject({ status: 'discarded' })
    expect(statusAfter).not.toHaveProperty('expired')
  })

  it('omits a missing return URL from the error', async () => {
    const { key } = await createSecret(stage, token, { onConsumed: { message: 'gone' } })
    await redeem(stage, key)
    expect((await redeem(stage, key)).body['error']).toEqual({ id: 'forbidden', message: 'gone', data: { id: 'shared-secret-unavailable' } })
  })

  it('accepts a half generated by the client', async () => {
    const { id } = await createSecret(stage, token, { keyHash: hashOf(half) })
    expect(await redeem(stage, `${id}.${half}`)).toMatchObject(redeemed)
  })
})

describe('a signature', () => {
  const proof = (type: string, payload: unknown): object => ({ signature: { type, payload } })

  it('that is missing changes nothing, and the correct one redeems', async () => {
    const { key } = await createSecret(stage, token, { signature: { type: 'secret', value: 'open sesame' } })
    for (const missing of [{}, { signature: null }, { signature: {} }, { signature: { type: 'secret' } }, { signature: 'x' }]) {
      expect(await redeem(stage, key, missing)).toMatchObject(unavailable)
    }
    expect(await statusOf(stage, token, key)).toMatchObject({ status: 'pending' })
    expect(await redeem(stage, key, proof('secret', 'open sesame'))).toMatchObject(redeemed)
  })

  it.each<[string, object]>([
    ['another text', proof('secret', 'open barley')],
    ['a prefix', proof('secret', 'open')],
    ['an empty text', proof('secret', '')],
    ['another type', proof('hmac-sha256', 'open sesame')],
    ['a missing type', { signature: { payload: 'open sesame' } }],
    ['a list', proof('secret', ['open sesame'])],
    ['a number', proof('secret', 7)],
  ])('that is %s discards the secret for later calls', async (_, wrong) => {
    const { id, key } = await createSecret(stage, token, { signature: { type: 'secret', value: 'open sesame' } })
    expect(await redeem(stage, key, wrong)).toMatchObject(unavailable)
    expect(await redeem(stage, key, proof('secret', 'open sesame'))).toMatchObject(unavailable)
    const { content } = await itemOf(id)
    expect(content).toMatchObject({ status: 'discarded', statusHistory: [{}, { info: 'Secret does not match' }] })
    expect(content['signature']).toEqual({ type: 'secret' })
  })

  it('by HMAC is compared without the key of the verifier', async () => {
    const value = hmacOf('verifier', half)
    const { id } = await createSecret(stage, token, { keyHash: hashOf(half), signature: { type: 'hmac-sha256', value } })
    expect(await redeem(stage, `${id}.${half}`)).toMatchObject(unavailable)
    expect(await redeem(stage, `${id}.${half}`, proof('hmac-sha256', value))).toMatchObject(redeemed)
    expect(await redeem(stage, `${id}.${half}`, proof('hmac-sha256', value))).toMatchObject(unavailable)
  })

  it('that is not required is ignored', async () => {
    const { key } = await createSecret(stage, token)
    expect(await redeem(stage, key, proof('secret', 'x'))).toMatchObject(redeemed)
  })
})

describe('retrieval', () => {
  const responseOf = async ({ status, body }: Answer): Promise<string> => JSON.stringify({ status, error: body['error'] })

  it('fails with the same error for every invalid key, without effect on the secret', async () => {
    const { id, key } = await createSecret(stage, token)
    const event = (await stage.arrange('streams.create', { id: `s-${id}`, name: id }).then(() => stage.arrange('events.create', { streamIds: [`s-${id}`], type: 'note/txt', content: 'x' })))['event'] as { id: string }
    const other = await newStage(node)
    const answers = [
      await redeem(stage, `${id}.${half}`),
      await redeem(stage, `${event.id}.${half}`),
      await redeem(stage, `unknown.${half}`),
      await redeem(stage, `${key}=`),
      await redeem(stage, `${key}.x`),
      await redeem(stage, key.split('.')[0]),
      await redeem(stage, `${id}.short`),
      await redeem(stage, `${'x'.repeat(65)}.${half}`),
      await redeem(stage, `${id}/../${id}.${half}`),
      await redeem(stage, undefined),
      await redeem(stage, null),
      await redeem(stage, [key]),
      await redeem(stage, { key }),
      await redeem(other, key),
      await redeem({ node, username: 'nobody-here' }, key),
      await request(`${node.url}${stage.username}/shared-secrets/retrieve`, { body: [] }),
      await request(`${node.url}${stage.username}/shared-secrets/retrieve`, { method: 'POST' }),
      await request(`${node.url}${stage.username}/shared-secrets/retrieve?key=${key}`, { body: {} }),
    ]
    const bodies = new Set(await Promise.all(answers.map(responseOf)))
    expect([...bodies]).toEqual([JSON.stringify({ status: 404, error: { id: 'unknown-resource', message: 'There is no shared secret with this key.' } })])
    expect(await redeem(stage, key)).toMatchObject(redeemed)
  })

  it('is not available in a batch or over a websocket', async () => {
    const { key } = await createSecret(stage, token)
    for (const transport of ['batch', 'socket'] as const) {
      const { body } = await callThrough(transport, stage, token, 'sharedSecrets.retrieve', { key })
      expect(body['error']).toMatchObject({ id: 'invalid-method' })
    }
    expect(await redeem(stage, key)).toMatchObject(redeemed)
  })

  it('requires the signature also with the token of the creator', async () => {
    const { key } = await createSecret(stage, token, { signature: { type: 'secret', value: 'x' } })
    const answer = await request(`${node.url}${stage.username}/shared-secrets/retrieve`, { token, body: { key } })
    expect(answer).toMatchObject(unavailable)
  })
})

describe('the status of a secret', () => {
  it('is returned only to its creator and the owner, without side effects', async () => {
    const { key, id, expires } = await createSecret(stage, token, { signature: { type: 'hmac-sha256', value: 'x' } })
    const other = await stage.app([{ streamId: '*', level: 'manage' }])
    for (const reader of [token, stage.owner]) {
      for (const transport of ['http', 'form', 'batch', 'socket'] as const) {
        const { status, body } = await callThrough(transport, stage, reader, 'sharedSecrets.getOne', { key })
        expect(status).toBe(200)
        const view = { id, title: 'a note', status: 'pending', onConsumed, signatureType: 'hmac-sha256', expires }
        expect(body['sharedSecret']).toEqual({ ...view, statusHistory: [{ status: 'pending', time: expires - 60 }] })
      }
    }
    const unknown = { status: 404, body: { error: { id: 'unknown-resource', message: 'There is no shared secret with this key.' } } }
    expect(await callThrough('http', stage, other, 'sharedSecrets.getOne', { key })).toMatchObject(unknown)
    for (const wrong of [{}, { key: 5 }, { key: `${id}.${half}` }, { key: `x.${half}` }, []]) {
      expect(await callThrough('http', stage, token, 'sharedSecrets.getOne', wrong)).toMatchObject(unknown)
    }
    const anonymous = await request(`${node.url}${stage.username}/shared-secrets/status`, { body: { key } })
    expect(anonymous).toMatchObject({ status: 401 })
    expect(await redeem(stage, key, { signature: { type: 'hmac-sha256', payload: 'x' } })).toMatchObject(redeemed)
    expect(await statusOf(stage, token, key)).toMatchObject({ status: 'consumed' })
  })
})

describe('concurrent calls', () => {
  it('redeem a secret once', async () => {
    const { id, key } = await createSecret(stage, token)
    const answers = await Promise.all(Array.from({ length: 50 }, () => redeem(stage, key)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(49)
    expect((await itemOf(id)).content['statusHistory']).toHaveLength(2)
  })

  it('delete a redeemed secret, and discard one that was not redeemed', async () => {
    for (let round = 0; round < 10; round++) {
      const { id, key } = await createSecret(stage, token)
      const remove = (): Promise<Answer> => request(`${node.url}${stage.username}/events/${id}`, { method: 'DELETE', token })
      const calls = round % 2 === 0 ? [redeem(stage, key), remove()] : [remove(), redeem(stage, key)]
      const [one, two] = await Promise.all(calls)
      const [redeemed, removed] = round % 2 === 0 ? [one, two] : [two, one]
      expect(removed?.status).toBe(200)
      if (redeemed?.status === 200) expect(removed?.body).toHaveProperty('eventDeletion')
      else expect(removed?.body).toMatchObject({ event: { trashed: true, content: { status: 'discarded', statusHistory: [{}, { info: 'deleted' }] } } })
    }
  })

  it('leave a consistent store', async () => {
    await node.stop()
    await expectSound(node.places)
  })
})

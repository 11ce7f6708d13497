/**
 * Redeeming a secret, and asking what became of it (docs/interface/shared-secrets.md#redemption,
 * docs/interface/shared-secrets.md#status).
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventIntegrity } from '../../../../src/store/model/integrity.js'
import { fakeClock } from '../../../support/nodes/clock.js'
import { expectSound } from '../../../support/store/check.js'
import { homes } from '../../../support/nodes/home.js'
import { request, startTestNode, type Answer, type TestNode } from '../../../support/nodes/node.js'
import { callThrough, newStage, type Stage } from '../../../support/http/methodTable.js'
import { accessIdOf, half, hashOf, hmacOf, itemsOf, make, onConsumed, plain, redeem, statusOf, type Item } from './support.js'

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

const late = { status: 403, body: { error: { id: 'forbidden', message: onConsumed.message, data: { id: 'shared-secret-unavailable', returnUrl: onConsumed.returnUrl } } } }
const given = { status: 200, body: { secret: plain.secret } }

/** The item of an id, whatever its state. */
async function item(id: string): Promise<Item> {
  const streams = `:_shared-secrets:${await accessIdOf(stage, token)}`
  const found = (await itemsOf(stage, token, { streams, state: 'all', limit: '1000' })).find((one) => one.id === id)
  if (found === undefined) throw new Error('no such item')
  return found
}

describe('redeeming', () => {
  it('hands the value over once, to whoever has the key', async () => {
    const { id, key } = await make(stage, token)
    clock.pass(10)
    const before = await item(id)
    expect(await redeem(stage, key)).toMatchObject(given)
    const again = await redeem(stage, key)
    expect(again).toMatchObject(late)
    expect(JSON.stringify(again.body)).not.toContain('deep')
    const after = await item(id)
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
  ])('gives %s back as it was', async (_, secret) => {
    const { key } = await make(stage, token, { secret })
    expect((await redeem(stage, key)).body['secret']).toEqual(secret)
  })

  it('gives back what is named like what objects inherit', async () => {
    const body = JSON.stringify(plain).replace('{"deep"', '{"__proto__":{"x":1},"deep"')
    const { body: made } = await request(`${node.url}${stage.username}/shared-secrets`, { token, body })
    const { key } = made['sharedSecret'] as { key: string }
    const answer = await fetch(`${node.url}${stage.username}/shared-secrets/retrieve`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ key }),
    })
    expect(await answer.text()).toContain('{"__proto__":{"x":1},"deep"')
  })

  it('is possible at the last moment, and not after it', async () => {
    const [one, other] = [await make(stage, token, { ttl: 60 }), await make(stage, token, { ttl: 60 })]
    clock.pass(60)
    expect(await statusOf(stage, token, other.key)).toMatchObject({ status: 'pending' })
    expect(await redeem(stage, one.key)).toMatchObject(given)
    clock.pass(0.001)
    expect(await statusOf(stage, token, other.key)).toMatchObject({ status: 'discarded', expired: true })
    expect((await item(other.id)).content).toMatchObject({ status: 'pending' })
    expect(await redeem(stage, other.key)).toMatchObject(late)
    expect(await redeem(stage, other.key)).toMatchObject(late)
    const { content } = await item(other.id)
    expect(content).toMatchObject({ status: 'discarded', statusHistory: [{}, { status: 'discarded', info: 'expired' }] })
    expect(content['statusHistory']).toHaveLength(2)
    const told = await statusOf(stage, token, other.key)
    expect(told).toMatchObject({ status: 'discarded' })
    expect(told).not.toHaveProperty('expired')
  })

  it('leaves out the address that there is none of', async () => {
    const { key } = await make(stage, token, { onConsumed: { message: 'gone' } })
    await redeem(stage, key)
    expect((await redeem(stage, key)).body['error']).toEqual({ id: 'forbidden', message: 'gone', data: { id: 'shared-secret-unavailable' } })
  })

  it('takes a half that the client made', async () => {
    const { id } = await make(stage, token, { keyHash: hashOf(half) })
    expect(await redeem(stage, `${id}.${half}`)).toMatchObject(given)
  })
})

describe('a proof', () => {
  const proof = (type: string, payload: unknown): object => ({ signature: { type, payload } })

  it('that is lacking changes nothing; the right one redeems', async () => {
    const { key } = await make(stage, token, { signature: { type: 'secret', value: 'open sesame' } })
    for (const lacking of [{}, { signature: null }, { signature: {} }, { signature: { type: 'secret' } }, { signature: 'x' }]) {
      expect(await redeem(stage, key, lacking)).toMatchObject(late)
    }
    expect(await statusOf(stage, token, key)).toMatchObject({ status: 'pending' })
    expect(await redeem(stage, key, proof('secret', 'open sesame'))).toMatchObject(given)
  })

  it.each<[string, object]>([
    ['another text', proof('secret', 'open barley')],
    ['a part', proof('secret', 'open')],
    ['an empty text', proof('secret', '')],
    ['another kind', proof('hmac-sha256', 'open sesame')],
    ['no kind', { signature: { payload: 'open sesame' } }],
    ['a list', proof('secret', ['open sesame'])],
    ['a number', proof('secret', 7)],
  ])('that is %s discards the secret, for whoever comes after', async (_, wrong) => {
    const { id, key } = await make(stage, token, { signature: { type: 'secret', value: 'open sesame' } })
    expect(await redeem(stage, key, wrong)).toMatchObject(late)
    expect(await redeem(stage, key, proof('secret', 'open sesame'))).toMatchObject(late)
    const { content } = await item(id)
    expect(content).toMatchObject({ status: 'discarded', statusHistory: [{}, { info: 'Secret does not match' }] })
    expect(content['signature']).toEqual({ type: 'secret' })
  })

  it('by HMAC is compared, and needs no secret of the verifier here', async () => {
    const value = hmacOf('verifier', half)
    const { id } = await make(stage, token, { keyHash: hashOf(half), signature: { type: 'hmac-sha256', value } })
    expect(await redeem(stage, `${id}.${half}`)).toMatchObject(late)
    expect(await redeem(stage, `${id}.${half}`, proof('hmac-sha256', value))).toMatchObject(given)
    expect(await redeem(stage, `${id}.${half}`, proof('hmac-sha256', value))).toMatchObject(late)
  })

  it('that nobody asked for is nothing', async () => {
    const { key } = await make(stage, token)
    expect(await redeem(stage, key, proof('secret', 'x'))).toMatchObject(given)
  })
})

describe('a key that leads to nothing', () => {
  const told = async ({ status, body }: Answer): Promise<string> => JSON.stringify({ status, error: body['error'] })

  it('is answered alike, whatever the cause, and burns nothing', async () => {
    const { id, key } = await make(stage, token)
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
    const bodies = new Set(await Promise.all(answers.map(told)))
    expect([...bodies]).toEqual([JSON.stringify({ status: 404, error: { id: 'unknown-resource', message: 'There is no shared secret with this key.' } })])
    expect(await redeem(stage, key)).toMatchObject(given)
  })

  it('is none of a batch, nor of a websocket', async () => {
    const { key } = await make(stage, token)
    for (const door of ['batch', 'socket'] as const) {
      const { body } = await callThrough(door, stage, token, 'sharedSecrets.retrieve', { key })
      expect(body['error']).toMatchObject({ id: 'invalid-method' })
    }
    expect(await redeem(stage, key)).toMatchObject(given)
  })

  it('is not helped by the token of its maker', async () => {
    const { key } = await make(stage, token, { signature: { type: 'secret', value: 'x' } })
    const answer = await request(`${node.url}${stage.username}/shared-secrets/retrieve`, { token, body: { key } })
    expect(answer).toMatchObject(late)
  })
})

describe('the status of a secret', () => {
  it('is told to its maker and to the owner, and changes nothing', async () => {
    const { key, id, expires } = await make(stage, token, { signature: { type: 'hmac-sha256', value: 'x' } })
    const other = await stage.app([{ streamId: '*', level: 'manage' }])
    for (const reader of [token, stage.owner]) {
      for (const door of ['http', 'form', 'batch', 'socket'] as const) {
        const { status, body } = await callThrough(door, stage, reader, 'sharedSecrets.getOne', { key })
        expect(status).toBe(200)
        const view = { id, title: 'a note', status: 'pending', onConsumed, signatureType: 'hmac-sha256', expires }
        expect(body['sharedSecret']).toEqual({ ...view, statusHistory: [{ status: 'pending', time: expires - 60 }] })
      }
    }
    const nobody = { status: 404, body: { error: { id: 'unknown-resource', message: 'There is no shared secret with this key.' } } }
    expect(await callThrough('http', stage, other, 'sharedSecrets.getOne', { key })).toMatchObject(nobody)
    for (const wrong of [{}, { key: 5 }, { key: `${id}.${half}` }, { key: `x.${half}` }, []]) {
      expect(await callThrough('http', stage, token, 'sharedSecrets.getOne', wrong)).toMatchObject(nobody)
    }
    const anonymous = await request(`${node.url}${stage.username}/shared-secrets/status`, { body: { key } })
    expect(anonymous).toMatchObject({ status: 401 })
    expect(await redeem(stage, key, { signature: { type: 'hmac-sha256', payload: 'x' } })).toMatchObject(given)
    expect(await statusOf(stage, token, key)).toMatchObject({ status: 'consumed' })
  })
})

describe('of many at once', () => {
  it('one redeems', async () => {
    const { id, key } = await make(stage, token)
    const answers = await Promise.all(Array.from({ length: 50 }, () => redeem(stage, key)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(49)
    expect((await item(id)).content['statusHistory']).toHaveLength(2)
  })

  it('a deletion never turns what was handed over into what was not', async () => {
    for (let round = 0; round < 10; round++) {
      const { id, key } = await make(stage, token)
      const remove = (): Promise<Answer> => request(`${node.url}${stage.username}/events/${id}`, { method: 'DELETE', token })
      const calls = round % 2 === 0 ? [redeem(stage, key), remove()] : [remove(), redeem(stage, key)]
      const [one, two] = await Promise.all(calls)
      const [redeemed, removed] = round % 2 === 0 ? [one, two] : [two, one]
      expect(removed?.status).toBe(200)
      if (redeemed?.status === 200) expect(removed?.body).toHaveProperty('eventDeletion')
      else expect(removed?.body).toMatchObject({ event: { trashed: true, content: { status: 'discarded', statusHistory: [{}, { info: 'deleted' }] } } })
    }
  })

  it('leaves a sound store', async () => {
    await node.stop()
    await expectSound(node.places)
  })
})

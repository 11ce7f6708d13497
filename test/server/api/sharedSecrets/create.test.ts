/** sharedSecrets.create: who may, what is refused by which name, and what is kept (docs/interface/shared-secrets.md#creation). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fakeClock } from '../../../support/nodes/clock.js'
import { request, startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { callThrough, describeMethod, newStage, type Row } from '../../../support/http/methodTable.js'
import { accessIdOf, half, hashOf, itemsOf, make, onConsumed, plain } from './support.js'

const without = (name: string): object => Object.fromEntries(Object.entries(plain).filter(([key]) => key !== name))
/** Every door reads bodies by the same rule: two are enough for those that it refuses. */
const refused = (what: string, send: unknown, id: string): Row => ({
  it: `refuses ${what}`,
  only: ['http', 'batch'],
  as: [],
  send,
  gives: [400, 'invalid-parameters-format'],
  data: { id: `shared-secret-${id}` },
})
const returning = (returnUrl: unknown): object => ({ ...plain, onConsumed: { message: 'm', returnUrl } })
const proved = (signature: unknown): object => ({ ...plain, signature })
/** A value whose JSON has so many bytes. */
const sized = (bytes: number): string => 'é'.repeat((bytes - 2) / 2)

describeMethod('sharedSecrets.create', [
  {
    it: 'answers a key whose half nobody guesses, and not the value',
    as: [{ streamId: '*', level: 'read' }],
    send: plain,
    gives: 201,
    result: { sharedSecret: { title: 'a note', status: 'pending', onConsumed } },
    then: ({ sharedSecret }) => {
      const { id, key, statusHistory, ...rest } = sharedSecret as Record<string, unknown>
      expect(key).toMatch(new RegExp(`^${String(id)}\\.[A-Za-z0-9_-]{32}$`))
      expect(statusHistory).toEqual([{ status: 'pending', time: expect.any(Number) as number }])
      expect(Object.keys(rest).sort()).toEqual(['expires', 'onConsumed', 'status', 'title'])
    },
  },
  { it: 'lets the owner', send: plain, gives: 201 },
  { it: 'lets an access without permissions', as: [], send: plain, gives: 201 },
  {
    it: 'refuses an access that may not share secrets, before it looks at the body',
    as: [{ feature: 'secretSharing', setting: 'forbidden' }],
    send: {},
    gives: [403, 'forbidden'],
    data: { id: 'shared-secret-forbidden' },
  },
  {
    it: 'answers no key for a half that the client made',
    send: { ...plain, keyHash: hashOf(half) },
    gives: 201,
    then: ({ sharedSecret }) => expect(sharedSecret).not.toHaveProperty('key'),
  },
  {
    it: 'names the kind of proof, and not what it is compared with',
    send: { ...plain, signature: { type: 'secret', value: 'open sesame' } },
    gives: 201,
    result: { sharedSecret: { signatureType: 'secret' } },
    then: (result) => expect(JSON.stringify(result)).not.toContain('sesame'),
  },
  { it: 'takes values that look like nothing', send: { ...plain, secret: false }, gives: 201 },
  { it: 'takes what it does not know, and ignores it', send: { ...plain, expires: 5, status: 'consumed' }, gives: 201, result: { sharedSecret: { status: 'pending' } } },
  refused('no ttl', without('ttl'), 'invalid-ttl'),
  refused('a ttl of 0', { ...plain, ttl: 0 }, 'invalid-ttl'),
  refused('a negative ttl', { ...plain, ttl: -1 }, 'invalid-ttl'),
  refused('a ttl of null', { ...plain, ttl: null }, 'invalid-ttl'),
  refused('a ttl that is a text', { ...plain, ttl: '60' }, 'invalid-ttl'),
  refused('a ttl above the longest', { ...plain, ttl: 2592001 }, 'ttl-too-long'),
  { it: 'takes the longest ttl', send: { ...plain, ttl: 2592000 }, gives: 201 },
  refused('no title', without('title'), 'invalid-title'),
  refused('a blank title', { ...plain, title: ' \t' }, 'invalid-title'),
  refused('no word for those who come late', without('onConsumed'), 'invalid-on-consumed'),
  refused('an empty word for those who come late', { ...plain, onConsumed: { message: '' } }, 'invalid-on-consumed'),
  refused('a list of words', { ...plain, onConsumed: [] }, 'invalid-on-consumed'),
  ...['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'not-a-url', 'https://a b', 5].map((url) =>
    refused(`the return address ${url}`, returning(url), 'invalid-return-url'),
  ),
  { it: 'takes an http address, in any case', send: returning('HTTP://app.example/x'), gives: 201 },
  refused('nothing to hand over', without('secret'), 'missing-secret'),
  refused('null', { ...plain, secret: null }, 'missing-secret'),
  refused('5000 bytes', { ...plain, secret: 'x'.repeat(5000) }, 'too-large'),
  refused('one byte too many', { ...plain, secret: sized(4096) + 'x' }, 'too-large'),
  { it: 'takes the largest value, counted in bytes', send: { ...plain, secret: sized(4096) }, gives: 201 },
  ...['abc', 'A'.repeat(64), 'g'.repeat(64), hashOf('x') + '0', 7].map((hash) =>
    refused(`the key hash ${String(hash).slice(0, 5)}`, { ...plain, keyHash: hash }, 'invalid-key-hash'),
  ),
  refused('an unknown kind of proof', proved({ type: 'sha256', value: 'x' }), 'invalid-signature'),
  refused('a proof without a value', proved({ type: 'secret' }), 'invalid-signature'),
  refused('a proof with an empty value', proved({ type: 'secret', value: '' }), 'invalid-signature'),
  refused('a proof that is a text', proved('secret'), 'invalid-signature'),
  refused('the first of several faults', { ttl: 0, title: '', secret: null }, 'invalid-ttl'),
  refused('a body that is a list', [], 'invalid-ttl'),
])

describe('sharedSecrets.create', () => {
  const clock = fakeClock()
  let node: TestNode
  beforeAll(async () => {
    node = await startTestNode({}, { clock })
  })
  afterAll(() => node.stop())

  it('keeps an item in the stream of its access, with the hash of the half', async () => {
    const stage = await newStage(node)
    const token = await stage.app([])
    const own = await accessIdOf(stage, token)
    const { id, key, expires } = await make(stage, token)
    const [item] = await itemsOf(stage, token, { streams: `:_shared-secrets:${own}` })
    expect(item).toMatchObject({
      id,
      streamIds: [`:_shared-secrets:${own}`],
      type: 'shared-secret/item',
      time: clock.now(),
      duration: 60,
      createdBy: own,
      modifiedBy: own,
      content: { status: 'pending', keyHash: hashOf(key.split('.')[1] ?? ''), secret: plain.secret },
    })
    expect(expires).toBe(clock.now() + 60)
    expect(JSON.stringify(item)).not.toContain('expires')
  })

  it('needs a token', async () => {
    const { username } = await newStage(node)
    const answer = await request(`${node.url}${username}/shared-secrets`, { body: plain })
    expect(answer).toMatchObject({ status: 401, body: { error: { id: 'invalid-access-token' } } })
  })

  it('is out of reach for whatever a barred app hands down, for good', async () => {
    const stage = await newStage(node)
    await stage.arrange('streams.create', { id: 'heart', name: 'heart' })
    const app = await stage.app([
      { streamId: 'heart', level: 'manage' },
      { feature: 'secretSharing', setting: 'forbidden' },
    ])
    const permissions = [{ streamId: 'heart', level: 'read' }]
    const made = await callThrough('http', stage, app, 'accesses.create', { name: 'child', permissions })
    expect(made.status).toBe(201)
    const { id, token } = made.body['access'] as { id: string; token: string }
    const barred = { status: 403, body: { error: { data: { id: 'shared-secret-forbidden' } } } }
    const attempt = (): Promise<unknown> => callThrough('http', stage, token, 'sharedSecrets.create', plain)
    expect(await attempt()).toMatchObject(barred)
    const lifted = await callThrough('http', stage, stage.owner, 'accesses.update', { id, update: { permissions } })
    expect(lifted.status).toBe(200)
    expect(lifted.body['access']).toMatchObject({ permissions: expect.arrayContaining([{ feature: 'secretSharing', setting: 'forbidden' }]) as unknown })
    expect(await attempt()).toMatchObject(barred)
    const own = await accessIdOf(stage, app)
    await stage.arrange('accesses.update', { id: own, update: { permissions: [{ streamId: 'heart', level: 'manage' }] } })
    expect(await callThrough('http', stage, app, 'sharedSecrets.create', plain)).toMatchObject(barred)
  })
})

describe('bounds', () => {
  it('are those of the settings', async () => {
    const node = await startTestNode({ 'sharedSecrets.maxTtl': 5, 'sharedSecrets.maxSizeBytes': 10 })
    const stage = await newStage(node)
    const attempt = (more: object): Promise<unknown> =>
      callThrough('http', stage, stage.owner, 'sharedSecrets.create', { ...plain, ttl: 5, secret: 'x', ...more })
    expect(await attempt({})).toMatchObject({ status: 201 })
    expect(await attempt({ ttl: 5.5 })).toMatchObject({ body: { error: { data: { id: 'shared-secret-ttl-too-long' } } } })
    expect(await attempt({ secret: 'x'.repeat(8) })).toMatchObject({ status: 201 })
    expect(await attempt({ secret: 'x'.repeat(9) })).toMatchObject({ body: { error: { data: { id: 'shared-secret-too-large' } } } })
    await node.stop()
  })

  it('switch the three methods off, whoever asks', async () => {
    const node = await startTestNode({ 'sharedSecrets.enabled': false })
    const stage = await newStage(node)
    const off = { status: 451, body: { error: { id: 'unavailable-method', message: 'Shared secrets are disabled on this platform.' } } }
    for (const token of [undefined, 'nonsense', stage.owner]) {
      for (const [path, body] of [['', {}], ['/status', {}], ['/retrieve', { key: 'x' }]] as const) {
        const answer = await request(`${node.url}${stage.username}/shared-secrets${path}`, { body, ...(token === undefined ? {} : { token }) })
        expect(answer, path).toMatchObject(off)
      }
    }
    expect(await callThrough('batch', stage, stage.owner, 'sharedSecrets.create', plain)).toMatchObject(off)
    await node.stop()
  })
})

/** Tests of `system.ackCore`: answers over HTTP to valid and refused acknowledgements, and their effects. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { acknowledgeCore } from '../../../../src/server/platform/joining/acknowledgement.js'
import { consumeToken, mintToken, revokeTokens } from '../../../../src/server/platform/joining/tokens.js'
import { Failure } from '../../../../src/store/model/failure.js'
import { request, startTestNode, type Answer, type TestNode } from '../../../support/nodes/node.js'
import { coreRecord, fakeRegistry, type FakeRegistry } from '../../platform/joining/support.js'

let node: TestNode
let platform: FakeRegistry
let own: TestNode['node']['registry']
beforeAll(async () => {
  node = await startTestNode()
  own = { ...node.node.registry }
})
afterAll(() => node.stop())

const now = (): number => Date.now() / 1000
const pending = (id: string): ReturnType<typeof coreRecord> => coreRecord(id, { state: 'pending', available: false, ip: '192.0.2.2', hosting: 'eu', url: null })
const ack = (body?: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
  request(`${node.url}system/admin/cores/ack`, { method: 'POST', ...(body === undefined ? {} : { body }), headers })

describe('on a platform of several cores', () => {
  beforeEach(() => {
    platform = fakeRegistry(coreRecord('core-0', { ip: '192.0.2.1', ipv6: '2001:db8::1' }), pending('core-b'), pending('core-c'), coreRecord('core-d', { state: 'lost', ip: '192.0.2.9' }))
    Object.assign(node.node.registry, platform.registry)
  })

  const mint = async (coreId: string, life?: number): Promise<string> => (await mintToken(platform.registry.records, coreId, now(), life)).token.reveal()

  it('puts the core into service', async () => {
    const { status, body } = await ack({ coreId: 'core-b', token: await mint('core-b'), tlsFingerprint: 'ab:cd' })
    const { meta: _, ...result } = body
    expect([status, result]).toEqual([
      200,
      {
        ok: true,
        coreId: 'core-b',
        cluster: {
          cores: [
            { id: 'core-a', url: 'https://core-a.example.org/', hosting: null, available: true },
            { id: 'core-0', url: 'https://core-0.example.org/', hosting: null, available: true },
            { id: 'core-b', url: null, hosting: 'eu', available: true },
            { id: 'core-c', url: null, hosting: 'eu', available: false },
          ],
          lscIps: ['192.0.2.1', '192.0.2.2', '192.0.2.2', '2001:db8::1'],
        },
      },
    ])
    expect(platform.cores.get('core-b')).toMatchObject({ state: 'active', available: true })
    expect(platform.cores.get('core-c')).toMatchObject({ state: 'pending', available: false })
    expect(node.logged.at(-1)).toContain('a core has joined the platform')
  })

  const token = 'x'.repeat(43)
  it.each<[string, unknown]>([
    ['no body', undefined],
    ['a list', []],
    ['no token', { coreId: 'core-b' }],
    ['no id', { token }],
    ['an empty id', { coreId: '', token }],
    ['a number as token', { coreId: 'core-b', token: 1 }],
    ['a long token', { coreId: 'core-b', token: 'x'.repeat(201) }],
    ['a long id', { coreId: 'x'.repeat(64), token }],
    ['a fingerprint that is no text', { coreId: 'core-b', token, tlsFingerprint: {} }],
  ])('refuses %s as invalid-body', async (_, body) => {
    const answer = await ack(body)
    expect([answer.status, answer.body['error']]).toMatchObject([400, { id: 'invalid-body' }])
  })

  it.each<[string, () => Promise<string>]>([
    ['invalid-format', () => Promise.resolve('not a token')],
    ['unknown', () => Promise.resolve(token)],
    ['expired', () => mint('core-b', -1)],
    [
      'already-consumed',
      async () => {
        const used = await mint('core-b')
        await consumeToken(platform.registry.records, used, { now: now() })
        return used
      },
    ],
    [
      'unknown',
      async () => {
        const revoked = await mint('core-b')
        await revokeTokens(platform.registry.records, 'core-b', now())
        return revoked
      },
    ],
  ])('refuses a token that is %s', async (reason, create) => {
    const { status, body } = await ack({ coreId: 'core-b', token: await create() })
    const error = { id: 'token-invalid', message: expect.any(String) as string, reason }
    expect([status, body]).toEqual([401, { error, meta: expect.anything() as unknown }])
    expect(platform.cores.get('core-b')).toMatchObject({ state: 'pending' })
  })

  it('refuses a token of another core, which stays usable', async () => {
    const minted = await mint('core-b')
    const answer = await ack({ coreId: 'core-c', token: minted })
    expect([answer.status, answer.body['error']]).toMatchObject([401, { id: 'token-coreid-mismatch' }])
    expect((await ack({ coreId: 'core-b', token: minted })).status).toBe(200)
  })

  it.each(['core-x', 'core-d'])('refuses %s, which is not expected, and keeps the token', async (coreId) => {
    const minted = await mint(coreId)
    const answer = await ack({ coreId, token: minted })
    expect([answer.status, answer.body['error']]).toMatchObject([404, { id: 'core-not-pre-registered' }])
    platform.cores.set(coreId, pending(coreId))
    expect((await ack({ coreId, token: minted })).status).toBe(200)
  })

  it('succeeds once: of simultaneous calls and of repeated ones', async () => {
    const body = { coreId: 'core-b', token: await mint('core-b') }
    const answers = await Promise.all([ack(body), ack(body), ack(body)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401])
    expect((await ack(body)).body['error']).toMatchObject({ id: 'token-invalid', reason: 'already-consumed' })
  })

  it('keeps the token usable when the core could not be put into service', async () => {
    const minted = await mint('core-b')
    platform.failCores(new Failure('platform-unavailable'))
    const call = (): Promise<unknown> => acknowledgeCore(platform.registry, { coreId: 'core-b', token: minted }, { now: now() })
    await expect(call()).rejects.toMatchObject({ id: 'platform-unavailable' })
    platform.failCores(undefined)
    expect(await call()).toMatchObject({ cores: expect.any(Array) as unknown })
  })

  it('does not end the draining of a core', async () => {
    platform.cores.set('core-b', coreRecord('core-b', { state: 'draining', available: false }))
    await ack({ coreId: 'core-b', token: await mint('core-b') })
    expect(platform.cores.get('core-b')).toMatchObject({ state: 'draining' })
  })

  it('limits the calls of a client', async () => {
    const statuses: number[] = []
    for (let at = 0; at < 32; at++) statuses.push((await ack({ coreId: 'core-b', token }, { 'x-forwarded-for': '203.0.113.5' })).status)
    expect(statuses.slice(-2)).toEqual([429, 429])
    expect(new Set(statuses.slice(0, 30))).toEqual(new Set([401]))
    expect((await ack({ coreId: 'core-b', token }, { 'x-forwarded-for': '203.0.113.6' })).status).toBe(401)
  })
})

it('on a platform of one core, every token is unknown', async () => {
  Object.assign(node.node.registry, own)
  const answer = await ack({ coreId: 'core-b', token: 'x'.repeat(43) })
  expect([answer.status, answer.body['error']]).toMatchObject([401, { id: 'token-invalid', reason: 'unknown' }])
})

/** Calls by accesses bound to a key, over every transport (docs/interface/oauth.md#dpop, docs/interface/oauth.md#records). */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { revokeKey, restoreKey } from '../../../../src/server/api/oauth/dpopKeys.js'
import { grantAccess } from '../../../support/people/access.js'
import { fakeClock } from '../../../support/nodes/clock.js'
import { newProofKey, proofOf, type ProofFor } from '../../../support/http/dpop.js'
import { homes } from '../../../support/nodes/home.js'
import { attached, filePart } from '../../../support/http/multipart.js'
import { request, startTestNode, type Answer, type TestNode } from '../../../support/nodes/node.js'
import { rawTarget } from '../../../support/http/rawRequest.js'
import { newStage, type Stage } from '../../../support/http/methodTable.js'
import { connectSocket, refusalOf } from '../../../support/http/socket.js'
import { newHolder } from '../series/support.js'

const CHALLENGE = 'DPoP algs="ES256", error="invalid_token"'
const clock = fakeClock()
const key = newProofKey()
const other = newProofKey()
const { home: newHome } = homes()
let node: TestNode
let stage: Stage
/** Tokens of a bound and of an unbound access. */
let token: string
let plain: string
let url: string
beforeAll(async () => {
  node = await startTestNode({ 'service.name': 'The "Heart" \\ Café' }, { clock })
  stage = await newStage(node)
  await stage.arrange('streams.create', { id: 's', name: 's' })
  url = `${node.url}${stage.username}/events`
  plain = (await grantAccess(node, stage.username, [{ streamId: '*', level: 'manage' }], { name: 'oauth:plain' })).token
})
afterAll(() => node.stop())
beforeEach(async () => {
  token = await bound()
})

const bound = async (more: object = {}): Promise<string> => {
  const access = { name: 'oauth:some-app', clientData: { dpop: { jkt: key.jkt } }, deviceName: node.node.newId(), ...more }
  return (await grantAccess(node, stage.username, [{ streamId: '*', level: 'manage' }], access)).token
}
const proof = (more: Partial<ProofFor> = {}, signer = key): string => proofOf(signer, { url, token, now: clock.now(), ...more })
const send = (headers: Record<string, string>, at = url, body?: unknown): Promise<Answer> =>
  request(at, { headers, ...(body === undefined ? {} : { body }) })
const boundHeaders = (dpop: string, scheme = 'DPoP'): Record<string, string> => ({ authorization: `${scheme} ${token}`, dpop })

function expectRefused({ status, headers, body }: Answer): void {
  expect([status, (body['error'] as { id?: string } | undefined)?.id]).toEqual([403, 'invalid-access-token'])
  expect(headers.get('www-authenticate')).toBe(CHALLENGE)
}

describe('a bound access is accepted', () => {
  it.each<[string, () => Promise<Answer>]>([
    ['with a proof', () => send(boundHeaders(proof()))],
    ['with a case-insensitive scheme', () => send(boundHeaders(proof(), 'dPoP'))],
    ['with a query that the proof omits', () => send(boundHeaders(proof()), `${url}?limit=1`)],
    ['with a query that the proof contains', () => send(boundHeaders(proof({ url: `${url}?limit=1` })), `${url}?limit=1`)],
    ['with a caller id after the token', () => send({ authorization: `DPoP ${token} its-word`, dpop: proof() })],
    [
      'with a body',
      () => send(boundHeaders(proof({ method: 'POST' })), url, { streamIds: ['s'], type: 'mass/kg', content: 1 }),
    ],
    [
      'in a batch with one proof',
      () => {
        const root = `${node.url}${stage.username}`
        const calls = [{ method: 'events.get', params: {} }, { method: 'streams.get', params: {} }]
        return send(boundHeaders(proof({ method: 'POST', url: root })), root, calls)
      },
    ],
    [
      'when a trusted proxy forwards the call',
      () =>
        send({
          ...boundHeaders(proof({ url: `https://public.example/${stage.username}/events` })),
          'x-forwarded-host': 'public.example, inner.example',
          'x-forwarded-proto': 'https',
        }),
    ],
  ])('%s', async (_, call) => {
    const { status, body } = await call()
    expect(status, JSON.stringify(body)).toBeLessThan(300)
    expect(JSON.stringify(body)).not.toContain('"error"')
  })

  it('with repeated proofs, within the clock skew', async () => {
    for (const ahead of [0, 1, 120, -120]) expect((await send(boundHeaders(proof({ now: clock.now() + ahead })))).status).toBe(200)
  })
})

describe('a bound access is refused', () => {
  it.each<[string, () => Promise<Answer>]>([
    ['without a proof', () => send({ authorization: `DPoP ${token}` })],
    ['without a scheme, with a proof', () => send({ authorization: token, dpop: proof() })],
    ['as Bearer, with a proof', () => send(boundHeaders(proof(), 'Bearer'))],
    ['as Basic, with a proof', () => send({ authorization: `Basic ${Buffer.from(`${token}:`).toString('base64')}`, dpop: proof() })],
    ['in the query, with a proof', () => send({ dpop: proof() }, `${url}?auth=${token}`)],
    ['with an empty proof', () => send(boundHeaders(''))],
    ['with a malformed proof', () => send(boundHeaders('x.y.z'))],
    ['with a proof of another key', () => send(boundHeaders(proof({}, other)))],
    ['with a proof for another method', () => send(boundHeaders(proof({ method: 'POST' })))],
    ['with a proof for another path', () => send(boundHeaders(proof({ url: `${url}/x` })))],
    ['with a proof for another account', () => send(boundHeaders(proof({ url: `${node.url}other/events` })))],
    ['with a proof for another token', () => send(boundHeaders(proof({ token: plain })))],
    ['with a proof without the hash of the token', () => send(boundHeaders(proof({ claims: { ath: undefined } })))],
    ['with a proof that is too old', () => send(boundHeaders(proof({ now: clock.now() - 121 })))],
    ['with a proof that is too early', () => send(boundHeaders(proof({ now: clock.now() + 121 })))],
    [
      'with a proof for another host than a proxy forwards',
      () => send({ ...boundHeaders(proof()), 'x-forwarded-host': 'public.example' }),
    ],
    [
      'by series methods, with a proof',
      async () => {
        const at = `${url}/${await newHolder(stage)}/series`
        return send(boundHeaders(proof({ url: at })), at)
      },
    ],
    [
      'in a form',
      () =>
        request(url, {
          method: 'POST',
          headers: { 'content-type': 'application/x-www-form-urlencoded', dpop: proof({ method: 'POST' }) },
          body: new URLSearchParams({ _method: 'GET', _auth: token }).toString(),
        }),
    ],
  ])('%s', async (_, call) => expectRefused(await call()))

  it('with two proofs', async () => {
    const lines = [`Host: 127.0.0.1:${node.port}`, `Authorization: DPoP ${token}`, `DPoP: ${proof()}`, `DPoP: ${proof()}`]
    const { status, headers } = await rawTarget(node.port, `/${stage.username}/events`, lines)
    expect([status, headers['www-authenticate']]).toEqual([403, CHALLENGE])
  })

  it('with any malformed value as its key', async () => {
    for (const dpop of [{}, { jkt: 5 }, 'x', 1, { jkt: '' }, []]) {
      token = await bound({ clientData: { dpop } })
      expectRefused(await send({ authorization: token }))
      expectRefused(await send(boundHeaders(proof())))
    }
  })

  it('by a websocket', async () => {
    for (const options of [{ token }, { headers: boundHeaders(proof()) }]) {
      expect((await refusalOf(connectSocket(node, stage.username, options))).data?.id).toBe('invalid-access-token')
    }
  })
})

describe('a proof', () => {
  it('is accepted once in fifty concurrent calls, and not later', async () => {
    const one = boundHeaders(proof())
    const answers = await Promise.all(Array.from({ length: 50 }, () => send(one)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 49 }, () => 403)])
    expectRefused(await send(one))
  })

  it('is not consumed by a call with another key or one refused for another reason', async () => {
    const id = { claims: { jti: 'the-same-id' } }
    expectRefused(await send(boundHeaders(proof(id, other))))
    expectRefused(await send(boundHeaders(proof({ ...id, method: 'POST' }))))
    expect((await send(boundHeaders(proof(id)))).status).toBe(200)
    expectRefused(await send(boundHeaders(proof(id))))
  })

  it('can have the same id as a proof of another key', async () => {
    const id = { claims: { jti: 'an-id-of-two' } }
    expect((await send(boundHeaders(proof(id)))).status).toBe(200)
    token = await bound({ clientData: { dpop: { jkt: other.jkt } } })
    expect((await send(boundHeaders(proof(id, other)))).status).toBe(200)
  })

  it('stays consumed after a restart until its expiry', async () => {
    const { home } = await newHome()
    const first = await startTestNode({}, { home, clock })
    const at = await newStage(first)
    const access = { clientData: { dpop: { jkt: key.jkt } } }
    token = (await grantAccess(first, at.username, [{ streamId: '*', level: 'read' }], access)).token
    const headers = {
      ...boundHeaders(proof({ url: `http://public.example/${at.username}/events`, now: clock.now() + 120 })),
      'x-forwarded-host': 'public.example',
    }
    expect((await send(headers, `${first.url}${at.username}/events`)).status).toBe(200)
    await first.stop()
    const second = await startTestNode({}, { home, clock })
    clock.pass(239)
    expectRefused(await send(headers, `${second.url}${at.username}/events`))
    await second.stop()
  })
})

describe('an unbound access', () => {
  it('is refused with the scheme DPoP, with or without a proof', async () => {
    const authorization = `DPoP ${plain}`
    expectRefused(await send({ authorization }))
    expectRefused(await send({ authorization, dpop: proof({ token: plain }) }))
    expectRefused(await send({ authorization: `DPoP ${stage.owner}` }))
    expect((await refusalOf(connectSocket(node, stage.username, { headers: { authorization } }))).data?.id).toBe('invalid-access-token')
  })

  it('is accepted with other schemes, and a proof is ignored', async () => {
    for (const authorization of [plain, `Bearer ${plain}`]) {
      expect((await send({ authorization })).status).toBe(200)
      expect((await send({ authorization, dpop: 'nonsense' })).status).toBe(200)
    }
    const socket = await connectSocket(node, stage.username, { token: plain })
    socket.close()
  })
})

describe('a revoked key', () => {
  it('is refused immediately, also for later accesses, until it is restored', async () => {
    const ownKey = newProofKey()
    const more = { clientData: { dpop: { jkt: ownKey.jkt } } }
    token = await bound(more)
    expect((await send(boundHeaders(proof({}, ownKey)))).status).toBe(200)
    await revokeKey(node.node, ownKey.jkt)
    expectRefused(await send(boundHeaders(proof({}, ownKey))))
    const unused = proof({}, ownKey)
    token = await bound(more)
    expectRefused(await send(boundHeaders(proof({}, ownKey))))
    await restoreKey(node.node, ownKey.jkt)
    expect((await send(boundHeaders(proof({}, ownKey)))).status).toBe(200)
    expectRefused(await send(boundHeaders(unused)))
  })
})

describe('a file of a bound access', () => {
  it('can be read with its read token without a proof, until the key is revoked', async () => {
    const ownKey = newProofKey()
    token = await bound({ clientData: { dpop: { jkt: ownKey.jkt } } })
    const { id } = await attached(stage, [filePart('a.txt', 'text')])
    const { body } = await send(boundHeaders(proof({ url: `${url}/${id}` }, ownKey)), `${url}/${id}`)
    const [file] = (body['event'] as { attachments: { id: string; readToken: string }[] }).attachments
    const at = `${url}/${id}/${file?.id}`
    const read = `${at}?readToken=${file?.readToken}`
    expect((await send({}, read)).status).toBe(200)
    expect((await send(boundHeaders(proof({ url: at }, ownKey)), at)).status).toBe(200)
    expectRefused(await send({ authorization: token }, at))
    expectRefused(await send({ authorization: token }, read))
    await revokeKey(node.node, ownKey.jkt)
    expectRefused(await send({}, read))
  })
})

describe('a missing or unknown token', () => {
  it.each<[string, Record<string, string>, number, string]>([
    ['absent', {}, 401, 'Bearer realm="The \\"Heart\\" \\\\ Caf?"'],
    [
      'unknown',
      { authorization: 'nonsense' },
      403,
      'Bearer realm="The \\"Heart\\" \\\\ Caf?", error="invalid_token", error_description="Cannot find access from token."',
    ],
  ])('gets a challenge with the scheme: %s', async (_, headers, status, challenge) => {
    const answer = await send(headers)
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([status, challenge])
  })

  it('is the only failure with a challenge', async () => {
    const app = await stage.app([{ streamId: 's', level: 'read' }])
    const answer = await request(url, { token: app, body: { streamIds: ['s'], type: 'mass/kg', content: 1 } })
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([403, null])
  })
})

/** Calls by accesses that are bound to a key, at every door (docs/interface/oauth.md#dpop, docs/interface/oauth.md#records). */
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
/** Of a bound access, and of one that is not. */
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
  const made = { name: 'oauth:some-app', clientData: { dpop: { jkt: key.jkt } }, deviceName: node.node.newId(), ...more }
  return (await grantAccess(node, stage.username, [{ streamId: '*', level: 'manage' }], made)).token
}
const proof = (more: Partial<ProofFor> = {}, by = key): string => proofOf(by, { url, token, now: clock.now(), ...more })
const ask = (headers: Record<string, string>, at = url, body?: unknown): Promise<Answer> =>
  request(at, { headers, ...(body === undefined ? {} : { body }) })
const bearing = (dpop: string, scheme = 'DPoP'): Record<string, string> => ({ authorization: `${scheme} ${token}`, dpop })

function expectRefused({ status, headers, body }: Answer): void {
  expect([status, (body['error'] as { id?: string } | undefined)?.id]).toEqual([403, 'invalid-access-token'])
  expect(headers.get('www-authenticate')).toBe(CHALLENGE)
}

describe('a bound access calls', () => {
  it.each<[string, () => Promise<Answer>]>([
    ['with a proof', () => ask(bearing(proof()))],
    ['by the scheme in any case', () => ask(bearing(proof(), 'dPoP'))],
    ['with a query that the proof does not say', () => ask(bearing(proof()), `${url}?limit=1`)],
    ['with a query that the proof says', () => ask(bearing(proof({ url: `${url}?limit=1` })), `${url}?limit=1`)],
    ['with a word after the token', () => ask({ authorization: `DPoP ${token} its-word`, dpop: proof() })],
    [
      'with a body',
      () => ask(bearing(proof({ method: 'POST' })), url, { streamIds: ['s'], type: 'mass/kg', content: 1 }),
    ],
    [
      'a batch, with one proof for all of it',
      () => {
        const root = `${node.url}${stage.username}`
        const calls = [{ method: 'events.get', params: {} }, { method: 'streams.get', params: {} }]
        return ask(bearing(proof({ method: 'POST', url: root })), root, calls)
      },
    ],
    [
      'as a trusted proxy forwards it',
      () =>
        ask({
          ...bearing(proof({ url: `https://public.example/${stage.username}/events` })),
          'x-forwarded-host': 'public.example, inner.example',
          'x-forwarded-proto': 'https',
        }),
    ],
  ])('%s', async (_, asked) => {
    const { status, body } = await asked()
    expect(status, JSON.stringify(body)).toBeLessThan(300)
    expect(JSON.stringify(body)).not.toContain('"error"')
  })

  it('as often as it makes proofs, and within the time of its clock', async () => {
    for (const ahead of [0, 1, 120, -120]) expect((await ask(bearing(proof({ now: clock.now() + ahead })))).status).toBe(200)
  })
})

describe('a bound access is refused', () => {
  it.each<[string, () => Promise<Answer>]>([
    ['without a proof', () => ask({ authorization: `DPoP ${token}` })],
    ['bare, with a proof', () => ask({ authorization: token, dpop: proof() })],
    ['as Bearer, with a proof', () => ask(bearing(proof(), 'Bearer'))],
    ['as Basic, with a proof', () => ask({ authorization: `Basic ${Buffer.from(`${token}:`).toString('base64')}`, dpop: proof() })],
    ['in the query, with a proof', () => ask({ dpop: proof() }, `${url}?auth=${token}`)],
    ['with an empty proof', () => ask(bearing(''))],
    ['with what is no proof', () => ask(bearing('x.y.z'))],
    ['with a proof of another key', () => ask(bearing(proof({}, other)))],
    ['with a proof for another method', () => ask(bearing(proof({ method: 'POST' })))],
    ['with a proof for another path', () => ask(bearing(proof({ url: `${url}/x` })))],
    ['with a proof for another account', () => ask(bearing(proof({ url: `${node.url}other/events` })))],
    ['with a proof for another token', () => ask(bearing(proof({ token: plain })))],
    ['with a proof for no token', () => ask(bearing(proof({ claims: { ath: undefined } })))],
    ['with a proof that is too old', () => ask(bearing(proof({ now: clock.now() - 121 })))],
    ['with a proof that is too early', () => ask(bearing(proof({ now: clock.now() + 121 })))],
    [
      'where its proof is for what another proxy says',
      () => ask({ ...bearing(proof()), 'x-forwarded-host': 'public.example' }),
    ],
    [
      'at the points of series, with a proof',
      async () => {
        const at = `${url}/${await newHolder(stage)}/series`
        return ask(bearing(proof({ url: at })), at)
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
  ])('%s', async (_, asked) => expectRefused(await asked()))

  it('with two proofs', async () => {
    const lines = [`Host: 127.0.0.1:${node.port}`, `Authorization: DPoP ${token}`, `DPoP: ${proof()}`, `DPoP: ${proof()}`]
    const { status, headers } = await rawTarget(node.port, `/${stage.username}/events`, lines)
    expect([status, headers['www-authenticate']]).toEqual([403, CHALLENGE])
  })

  it('whatever was put in the place of its key', async () => {
    for (const dpop of [{}, { jkt: 5 }, 'x', 1, { jkt: '' }, []]) {
      token = await bound({ clientData: { dpop } })
      expectRefused(await ask({ authorization: token }))
      expectRefused(await ask(bearing(proof())))
    }
  })

  it('at a websocket', async () => {
    for (const options of [{ token }, { headers: bearing(proof()) }]) {
      expect((await refusalOf(connectSocket(node, stage.username, options))).data?.id).toBe('invalid-access-token')
    }
  })
})

describe('a proof', () => {
  it('is good for one of fifty at once, and for none later', async () => {
    const one = bearing(proof())
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask(one)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 49 }, () => 403)])
    expectRefused(await ask(one))
  })

  it('is not used up by who does not hold its key, nor by a call that is refused for another reason', async () => {
    const id = { claims: { jti: 'the-same-id' } }
    expectRefused(await ask(bearing(proof(id, other))))
    expectRefused(await ask(bearing(proof({ ...id, method: 'POST' }))))
    expect((await ask(bearing(proof(id)))).status).toBe(200)
    expectRefused(await ask(bearing(proof(id))))
  })

  it('has an id of its own for each key', async () => {
    const id = { claims: { jti: 'an-id-of-two' } }
    expect((await ask(bearing(proof(id)))).status).toBe(200)
    token = await bound({ clientData: { dpop: { jkt: other.jkt } } })
    expect((await ask(bearing(proof(id, other)))).status).toBe(200)
  })

  it('stays used over a restart, for as long as it would be good', async () => {
    const { home } = await newHome()
    const first = await startTestNode({}, { home, clock })
    const at = await newStage(first)
    const made = { clientData: { dpop: { jkt: key.jkt } } }
    token = (await grantAccess(first, at.username, [{ streamId: '*', level: 'read' }], made)).token
    const headers = {
      ...bearing(proof({ url: `http://public.example/${at.username}/events`, now: clock.now() + 120 })),
      'x-forwarded-host': 'public.example',
    }
    expect((await ask(headers, `${first.url}${at.username}/events`)).status).toBe(200)
    await first.stop()
    const second = await startTestNode({}, { home, clock })
    clock.pass(239)
    expectRefused(await ask(headers, `${second.url}${at.username}/events`))
    await second.stop()
  })
})

describe('an access that is not bound', () => {
  it('is refused by the scheme DPoP, with a proof and without', async () => {
    const authorization = `DPoP ${plain}`
    expectRefused(await ask({ authorization }))
    expectRefused(await ask({ authorization, dpop: proof({ token: plain }) }))
    expectRefused(await ask({ authorization: `DPoP ${stage.owner}` }))
    expect((await refusalOf(connectSocket(node, stage.username, { headers: { authorization } }))).data?.id).toBe('invalid-access-token')
  })

  it('calls as ever, and a proof says nothing', async () => {
    for (const authorization of [plain, `Bearer ${plain}`]) {
      expect((await ask({ authorization })).status).toBe(200)
      expect((await ask({ authorization, dpop: 'nonsense' })).status).toBe(200)
    }
    const socket = await connectSocket(node, stage.username, { token: plain })
    socket.close()
  })
})

describe('a revoked key', () => {
  it('is refused at once, with good proofs and in what is bound to it later, until it is restored', async () => {
    const mine = newProofKey()
    const more = { clientData: { dpop: { jkt: mine.jkt } } }
    token = await bound(more)
    expect((await ask(bearing(proof({}, mine)))).status).toBe(200)
    await revokeKey(node.node, mine.jkt)
    expectRefused(await ask(bearing(proof({}, mine))))
    const unused = proof({}, mine)
    token = await bound(more)
    expectRefused(await ask(bearing(proof({}, mine))))
    await restoreKey(node.node, mine.jkt)
    expect((await ask(bearing(proof({}, mine)))).status).toBe(200)
    expectRefused(await ask(bearing(unused)))
  })
})

describe('a file of a bound access', () => {
  it('is read by its read token without a proof, until the key is revoked', async () => {
    const mine = newProofKey()
    token = await bound({ clientData: { dpop: { jkt: mine.jkt } } })
    const { id } = await attached(stage, [filePart('a.txt', 'text')])
    const { body } = await ask(bearing(proof({ url: `${url}/${id}` }, mine)), `${url}/${id}`)
    const [file] = (body['event'] as { attachments: { id: string; readToken: string }[] }).attachments
    const at = `${url}/${id}/${file?.id}`
    const read = `${at}?readToken=${file?.readToken}`
    expect((await ask({}, read)).status).toBe(200)
    expect((await ask(bearing(proof({ url: at }, mine)), at)).status).toBe(200)
    expectRefused(await ask({ authorization: token }, at))
    expectRefused(await ask({ authorization: token }, read))
    await revokeKey(node.node, mine.jkt)
    expectRefused(await ask({}, read))
  })
})

describe('a token that is none', () => {
  it.each<[string, Record<string, string>, number, string]>([
    ['absent', {}, 401, 'Bearer realm="The \\"Heart\\" \\\\ Caf?"'],
    [
      'unknown',
      { authorization: 'nonsense' },
      403,
      'Bearer realm="The \\"Heart\\" \\\\ Caf?", error="invalid_token", error_description="Cannot find access from token."',
    ],
  ])('is told by which scheme to come: %s', async (_, headers, status, challenge) => {
    const answer = await ask(headers)
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([status, challenge])
  })

  it('and no other failure is', async () => {
    const app = await stage.app([{ streamId: 's', level: 'read' }])
    const answer = await request(url, { token: app, body: { streamIds: ['s'], type: 'mass/kg', content: 1 } })
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([403, null])
  })
})

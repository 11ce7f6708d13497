/**
 * What passes between the two accounts: many at once, lost on the way, between two nodes
 * (docs/interface/delegations.md#between-nodes).
 */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { delegates } from '../../../../src/store/accesses/delegations.js'
import type { Cores } from '../../../../src/server/httpClient/cores.js'
import { createCores } from '../../../../src/server/httpClient/cores.js'
import type { Answer } from '../../../../src/server/api/delegations/delivery.js'
import { endpointParts } from '../../../../src/server/base/endpointParts.js'
import { postTo } from '../../../../src/server/httpClient/http.js'
import { provideManaged } from '../../../../src/server/api/delegations/managedAccess.js'
import { loadConfig } from '../../../../src/server/config/config.js'
import { request } from '../../../support/nodes/node.js'
import { newStage } from '../../../support/http/methodTable.js'
import { withNode } from '../../../support/nodes/started.js'
import { accountOf, activePair, anchorsOf, invitedPair, kindsOf, markedOf, mirrorsOf, newPair, tokenOf, tried } from './support.js'

const MANY = 50
const many = <T>(work: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: MANY }, work))

describe('many at once', () => {
  const at = withNode()

  it('come to one invite, one relationship, one token', async () => {
    const pair = await newPair(at())
    const { a, b } = pair
    const invites = await many(() => tried(b, b.owner, 'delegations.requestAttach', { delegateUsername: a.username }))
    expect(invites.map(([status]) => status).sort()).toEqual([201, ...Array.from({ length: MANY - 1 }, () => 409)])
    expect([(await anchorsOf(b)).length, (await mirrorsOf(a)).length, await kindsOf(b)]).toEqual([1, 1, ['invite-capability']])
    const accepts = await many(() => tried(a, a.owner, 'delegations.acceptAttach', { username: b.username }))
    expect(new Set(accepts.map(([status]) => status))).toEqual(new Set([200]))
    expect([await kindsOf(a), await kindsOf(b)]).toEqual([['notify'], ['control']])
    const tokens = await many(() => tokenOf(pair))
    expect(new Set(tokens).size).toBe(1)
    expect(await kindsOf(b)).toEqual(['control', 'delegate-pat'])
    const ends = await many(() => tried(b, b.owner, 'delegations.detachDelegate', { username: a.username }))
    expect(ends.map(([status]) => status).sort()).toEqual([200, ...Array.from({ length: MANY - 1 }, () => 404)])
    expect([await kindsOf(a), await kindsOf(b), await mirrorsOf(a), await anchorsOf(b)]).toEqual([[], [], [], []])
  })
})

describe('what is lost on the way', () => {
  const at = withNode()

  /** Lets calls go wrong while `work` runs: `answer` in place of what the other side did, or before it does anything. */
  async function losing<T>(what: 'toCore' | 'toAccount', route: string, answer: Answer, isLate: boolean, work: () => Promise<T>): Promise<T> {
    const { delegations } = at().node
    const { toCore, toAccount } = delegations
    const lost = async (asked: string, real: () => Promise<Answer>): Promise<Answer> => {
      if (asked !== route) return real()
      if (isLate) await real()
      return answer
    }
    if (what === 'toCore') delegations.toCore = (core, asked, body) => lost(asked, () => toCore(core, asked, body))
    else delegations.toAccount = (peer, to, asked, body) => lost(asked, () => toAccount(peer, to, asked, body))
    return work().finally(() => Object.assign(delegations, { toCore, toAccount }))
  }
  const timeout: Answer = { status: 0, cause: 'timeout' }

  it.each<[string, Answer, unknown]>([
    ['no answer', timeout, { cause: 'timeout' }],
    ['a fault over there', { status: 500, body: {} }, { peerStatus: 500 }],
    ['a refusal over there', { status: 404, body: {} }, { peerStatus: 404 }],
  ])('leaves no invite: %s', async (_, answer, data) => {
    const { a, b } = await newPair(at())
    const asking = (): ReturnType<typeof tried> => tried(b, b.owner, 'delegations.requestAttach', { delegateUsername: a.username })
    expect(await losing('toCore', 'invite', answer, false, asking)).toEqual([503, 'delegation-delivery-failed', data])
    expect([await anchorsOf(b), await kindsOf(b)]).toEqual([[], []])
    expect(await asking()).toEqual([201, undefined])
  })

  it('leaves an accepted invite that can be accepted again, to the same end', async () => {
    const pair = await invitedPair(at())
    const { a, b } = pair
    const accepting = (): ReturnType<typeof tried> => tried(a, a.owner, 'delegations.acceptAttach', { username: b.username })
    expect(await losing('toAccount', 'accept-response', timeout, false, accepting)).toEqual([503, 'delegation-delivery-failed', { cause: 'timeout' }])
    expect([await anchorsOf(b), await mirrorsOf(a)]).toMatchObject([[{ status: 'invite' }], [{ status: 'invite' }]])
    expect(await losing('toAccount', 'accept-response', { status: 502, body: {} }, true, accepting)).toEqual([503, 'delegation-delivery-failed', { peerStatus: 502 }])
    const [half] = await anchorsOf(b)
    expect([half?.status, await kindsOf(b), (await mirrorsOf(a))[0]?.status]).toEqual(['active', ['control', 'invite-capability'], 'invite'])
    expect(await losing('toAccount', 'accept-response', { status: 200, body: {} }, true, accepting)).toEqual([502, 'delegation-delivery-failed'])
    expect(await losing('toAccount', 'accept-complete', timeout, false, accepting)).toEqual([200, undefined])
    const [whole] = await anchorsOf(b)
    expect(whole).toEqual(half)
    // The capability is left over, and goes with the relationship.
    expect([await kindsOf(b), await kindsOf(a)]).toEqual([['control', 'invite-capability'], ['notify']])
    await tokenOf(pair)
    await b.arrange('delegations.detachDelegate', { username: a.username })
    expect([await kindsOf(b), await kindsOf(a)]).toEqual([[], []])
  })

  it('accepts although another call has done so meanwhile, and the invite is used up', async () => {
    const { a, b } = await invitedPair(at())
    const accepting = (): ReturnType<typeof tried> => tried(a, a.owner, 'delegations.acceptAttach', { username: b.username })
    const { delegations } = at().node
    const { toAccount } = delegations
    delegations.toAccount = async (...asked) => {
      delegations.toAccount = toAccount
      expect(await accepting()).toEqual([200, undefined])
      const answer = await toAccount(...asked)
      expect(answer.status).toBe(403)
      return answer
    }
    expect(await accepting()).toEqual([200, undefined])
    expect([await kindsOf(a), await kindsOf(b)]).toEqual([['notify'], ['control']])
  })

  it('takes up a control access that was made for an invite before a crash', async () => {
    const { a, b } = await invitedPair(at())
    const [anchor] = await anchorsOf(b)
    const { relId = '', delegate = { username: '', hostSlug: '' } } = anchor ?? {}
    const account = await accountOf(b)
    const { access } = await account.write((t) => provideManaged(at().node, t, { kind: 'control', relId, delegate }))
    await a.arrange('delegations.acceptAttach', { username: b.username })
    expect(await anchorsOf(b)).toMatchObject([{ status: 'active', controlAccessId: access.id }])
    expect(await kindsOf(b)).toEqual(['control'])
  })

  it('leaves no access when the relationship cannot be written', async () => {
    const { a, b } = await invitedPair(at())
    const account = await accountOf(b)
    const { put } = delegates
    delegates.put = () => {
      throw new Error('no')
    }
    const outcome = await tried(a, a.owner, 'delegations.acceptAttach', { username: b.username }).finally(() => (delegates.put = put))
    expect(outcome).toEqual([503, 'delegation-delivery-failed', { peerStatus: 500 }])
    // Records of calls are written in the background.
    await expect.poll(() => account.isIdle).toBe(true)
    expect(await kindsOf(b)).toEqual(['invite-capability'])
    await a.arrange('delegations.acceptAttach', { username: b.username })
  })

  it('lets an invite go on this side when the other is not there', async () => {
    const { a, b } = await invitedPair(at())
    const refusing = (): ReturnType<typeof tried> => tried(a, a.owner, 'delegations.refuseAttach', { username: b.username })
    expect(await losing('toAccount', 'refuse-response', timeout, false, refusing)).toEqual([200, undefined])
    expect([await mirrorsOf(a), (await anchorsOf(b)).length]).toEqual([[], 1])
    const cancelling = (): ReturnType<typeof tried> => tried(b, b.owner, 'delegations.cancelInvite', { username: a.username })
    expect(await losing('toCore', 'invite', timeout, false, cancelling)).toEqual([200, undefined])
    expect(await anchorsOf(b)).toEqual([])
  })

  it.each<[string, Answer, unknown[]]>([
    ['no answer', { status: 0, cause: 'ECONNREFUSED' }, [503, 'delegation-delivery-failed', { cause: 'ECONNREFUSED' }]],
    ['a fault', { status: 500, body: {} }, [503, 'delegation-delivery-failed', { peerStatus: 500 }]],
    ['half an answer', { status: 200, body: { token: 'x' } }, [502, 'delegation-delivery-failed']],
    ['no login', { status: 401, body: {} }, [410, 'delegation-not-active', { peerStatus: 401 }]],
  ])('gives no token: %s', async (_, answer, expected) => {
    const pair = await activePair(at())
    const asking = (): ReturnType<typeof tried> => tried(pair.a, pair.a.owner, 'delegations.getToken', { username: pair.b.username })
    expect(await losing('toAccount', 'token', answer, false, asking)).toEqual(expected)
    expect(await mirrorsOf(pair.a)).toMatchObject([{ status: expected[0] === 410 ? 'stale' : 'active' }])
  })
})

describe('a call to another core', () => {
  const at = withNode()
  let server: Server
  let url: string
  let answer: (path: string) => [number, Record<string, string>, string | undefined]
  beforeAll(async () => {
    server = createServer(({ url: path = '' }, response) => {
      const [status, headers, body] = answer(path)
      response.writeHead(status, headers)
      if (body !== undefined) response.end(body)
      else response.write('{')
    })
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })

  it('follows nothing, reads so much, and waits for so long', async () => {
    answer = () => [302, { location: 'http://127.0.0.1:1/' }, '']
    expect(await postTo(url, 'x', {})).toEqual({ status: 302, body: {} })
    answer = () => [200, {}, JSON.stringify({ long: 'x'.repeat(70_000) })]
    expect(await postTo(url, 'x', {})).toEqual({ status: 200, body: {}, isCut: true })
    answer = () => [200, {}, '[1]']
    expect(await postTo(url, 'x', {})).toEqual({ status: 200, body: {} })
    answer = () => [200, {}, undefined]
    expect(await postTo(url, 'x', {}, 50)).toEqual({ status: 0, cause: 'timeout' })
    expect(await postTo('http://127.0.0.1:1/', 'x', {})).toMatchObject({ status: 0 })
  })

  it('is not made in the name of an account of this platform that is gone', async () => {
    let calls = 0
    answer = () => [200, {}, `{"ok":${String((calls += 1) > 0)}}`]
    const { node } = at()
    const endpoint = url.replace('://', '://token@')
    const tell = (username: string, hostSlug: string): Promise<Answer> => node.delegations.toAccount({ username, hostSlug }, endpoint, 'detach-notify')
    expect(await tell('nobody-here', '127-0-0-1')).toEqual({ status: 404, body: {} })
    expect(calls).toBe(0)
    expect(await tell('nobody-here', 'another-platform')).toEqual({ status: 200, body: { ok: true } })
  })

  it('goes to endpoints with a token only', () => {
    expect(endpointParts('https://a%20b@x.example.org/ana')).toEqual({ base: 'https://x.example.org/ana/', token: 'a b' })
    for (const other of ['', 'x', 'https://x.example.org/ana/', 'ftp://t@x/', 'https://t@x/?auth=1', 'https://t@x/#1', 'https://%ff@x/']) {
      expect([other, endpointParts(other)]).toEqual([other, undefined])
    }
  })
})

describe('the cores of a platform', () => {
  it('are those that the registry names, by their host names', async () => {
    const lookUp = ({ value }: { value: string }): Promise<{ core: string; username: string } | undefined> =>
      Promise.resolve(value === 'nobody' ? undefined : { core: value, username: value })
    const cores = (flags: Record<string, unknown>): Cores => createCores({ core: 'one', lookUp }, loadConfig({ flags }), () => 'https://self.example.org')
    const named = cores({ 'dns.domain': 'example.org' })
    expect(await named.ofAccount('ONE')).toEqual({ username: 'one', core: 'here' })
    expect(await named.ofAccount('two')).toEqual({ username: 'two', core: { url: 'https://two.example.org/' } })
    expect(await named.ofAccount('self')).toEqual({ username: 'self', core: undefined })
    expect(await named.ofAccount('nobody')).toBeUndefined()
    expect(await cores({}).ofAccount('two')).toEqual({ username: 'two', core: undefined })
    expect([named.named('one'), named.named('https://self.example.org/'), named.named('two'), named.named('')]).toEqual(['here', 'here', undefined, undefined])
  })
})

describe('a node without delegation', () => {
  const at = withNode({ 'delegation.active': false, 'auth.adminAccessKey': 'key' })

  it('has none of its methods, whichever way they are called', async () => {
    const stage = await newStage(at())
    const { url } = at()
    expect(await tried(stage, stage.owner, 'delegations.listDelegates', {})).toEqual([404, 'unknown-resource'])
    const batch = await request(`${url}${stage.username}/`, { token: stage.owner, body: [{ method: 'delegations.listDelegates', params: {} }] })
    expect(batch.body['results']).toMatchObject([{ error: { id: 'invalid-method' } }])
    expect((await request(`${url}system/delegation/invite`, { token: 'key', body: {} })).status).toBe(404)
    expect((await request(`${url}service/info`)).body['features']).toMatchObject({ delegation: false })
    expect(JSON.stringify((await request(`${url}openapi.json`)).body['paths'])).not.toContain('delegations')
    expect(await markedOf(stage)).toEqual([])
  })
})

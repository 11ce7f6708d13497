/**
 * Calls between the two accounts of a delegation: concurrent calls, lost responses, other cores
 * (docs/interface/delegations.md#between-nodes).
 */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { delegates } from '../../../../src/store/accesses/delegations.js'
import type { Cores } from '../../../../src/server/platform/cores/cores.js'
import type { CoreDirectory, Holder } from '../../../../src/server/platform/registry/port.js'
import { createCores } from '../../../../src/server/platform/cores/cores.js'
import type { Answer } from '../../../../src/server/api/delegations/delivery.js'
import { endpointParts } from '../../../../src/server/base/endpointParts.js'
import { postTo } from '../../../../src/server/httpClient/http.js'
import { provideManaged } from '../../../../src/server/api/delegations/managedAccess.js'
import { loadConfig } from '../../../../src/server/config/config.js'
import { request } from '../../../support/nodes/node.js'
import { newStage } from '../../../support/http/methodTable.js'
import { withNode } from '../../../support/nodes/started.js'
import { accountOf, activePair, anchorsOf, invitedPair, kindsOf, markedOf, mirrorsOf, newPair, tokenOf, outcomeOf } from './support.js'

const MANY = 50
const concurrently = <T>(work: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: MANY }, work))

describe('concurrent calls', () => {
  const at = withNode()

  it('create one invite, one delegation and one token', async () => {
    const pair = await newPair(at())
    const { a, b } = pair
    const invites = await concurrently(() => outcomeOf(b, b.owner, 'delegations.requestAttach', { delegateUsername: a.username }))
    expect(invites.map(([status]) => status).sort()).toEqual([201, ...Array.from({ length: MANY - 1 }, () => 409)])
    expect([(await anchorsOf(b)).length, (await mirrorsOf(a)).length, await kindsOf(b)]).toEqual([1, 1, ['invite-capability']])
    const accepts = await concurrently(() => outcomeOf(a, a.owner, 'delegations.acceptAttach', { username: b.username }))
    expect(new Set(accepts.map(([status]) => status))).toEqual(new Set([200]))
    expect([await kindsOf(a), await kindsOf(b)]).toEqual([['notify'], ['control']])
    const tokens = await concurrently(() => tokenOf(pair))
    expect(new Set(tokens).size).toBe(1)
    expect(await kindsOf(b)).toEqual(['control', 'delegate-pat'])
    const ends = await concurrently(() => outcomeOf(b, b.owner, 'delegations.detachDelegate', { username: a.username }))
    expect(ends.map(([status]) => status).sort()).toEqual([200, ...Array.from({ length: MANY - 1 }, () => 404)])
    expect([await kindsOf(a), await kindsOf(b), await mirrorsOf(a), await anchorsOf(b)]).toEqual([[], [], [], []])
  })
})

describe('a failed call to the other side', () => {
  const at = withNode()

  /** Replaces the responses of `route` with `answer` while `work` runs; with `isLate` the other side handles the call first. */
  async function withLostAnswer<T>(target: 'toCore' | 'toAccount', route: string, answer: Answer, isLate: boolean, work: () => Promise<T>): Promise<T> {
    const { delegations } = at().node
    const { toCore, toAccount } = delegations
    const replaceAnswer = async (calledRoute: string, real: () => Promise<Answer>): Promise<Answer> => {
      if (calledRoute !== route) return real()
      if (isLate) await real()
      return answer
    }
    if (target === 'toCore') delegations.toCore = (core, calledRoute, body) => replaceAnswer(calledRoute, () => toCore(core, calledRoute, body))
    else delegations.toAccount = (peer, to, calledRoute, body) => replaceAnswer(calledRoute, () => toAccount(peer, to, calledRoute, body))
    return work().finally(() => Object.assign(delegations, { toCore, toAccount }))
  }
  const timeout: Answer = { status: 0, cause: 'timeout' }

  it.each<[string, Answer, unknown]>([
    ['no answer', timeout, { cause: 'timeout' }],
    ['an error of the other side', { status: 500, body: {} }, { peerStatus: 500 }],
    ['a refusal by the other side', { status: 404, body: {} }, { peerStatus: 404 }],
  ])('leaves no invite: %s', async (_, answer, data) => {
    const { a, b } = await newPair(at())
    const requestAttach = (): ReturnType<typeof outcomeOf> => outcomeOf(b, b.owner, 'delegations.requestAttach', { delegateUsername: a.username })
    expect(await withLostAnswer('toCore', 'invite', answer, false, requestAttach)).toEqual([503, 'delegation-delivery-failed', data])
    expect([await anchorsOf(b), await kindsOf(b)]).toEqual([[], []])
    expect(await requestAttach()).toEqual([201, undefined])
  })

  it('leaves an invite whose acceptance can be repeated with the same result', async () => {
    const pair = await invitedPair(at())
    const { a, b } = pair
    const acceptAttach = (): ReturnType<typeof outcomeOf> => outcomeOf(a, a.owner, 'delegations.acceptAttach', { username: b.username })
    expect(await withLostAnswer('toAccount', 'accept-response', timeout, false, acceptAttach)).toEqual([503, 'delegation-delivery-failed', { cause: 'timeout' }])
    expect([await anchorsOf(b), await mirrorsOf(a)]).toMatchObject([[{ status: 'invite' }], [{ status: 'invite' }]])
    expect(await withLostAnswer('toAccount', 'accept-response', { status: 502, body: {} }, true, acceptAttach)).toEqual([503, 'delegation-delivery-failed', { peerStatus: 502 }])
    const [afterLoss] = await anchorsOf(b)
    expect([afterLoss?.status, await kindsOf(b), (await mirrorsOf(a))[0]?.status]).toEqual(['active', ['control', 'invite-capability'], 'invite'])
    expect(await withLostAnswer('toAccount', 'accept-response', { status: 200, body: {} }, true, acceptAttach)).toEqual([502, 'delegation-delivery-failed'])
    expect(await withLostAnswer('toAccount', 'accept-complete', timeout, false, acceptAttach)).toEqual([200, undefined])
    const [afterRetry] = await anchorsOf(b)
    expect(afterRetry).toEqual(afterLoss)
    // The capability remains until the delegation is detached.
    expect([await kindsOf(b), await kindsOf(a)]).toEqual([['control', 'invite-capability'], ['notify']])
    await tokenOf(pair)
    await b.arrange('delegations.detachDelegate', { username: a.username })
    expect([await kindsOf(b), await kindsOf(a)]).toEqual([[], []])
  })

  it('accepts an invite that a concurrent call already accepted and consumed', async () => {
    const { a, b } = await invitedPair(at())
    const acceptAttach = (): ReturnType<typeof outcomeOf> => outcomeOf(a, a.owner, 'delegations.acceptAttach', { username: b.username })
    const { delegations } = at().node
    const { toAccount } = delegations
    delegations.toAccount = async (...args) => {
      delegations.toAccount = toAccount
      expect(await acceptAttach()).toEqual([200, undefined])
      const answer = await toAccount(...args)
      expect(answer.status).toBe(403)
      return answer
    }
    expect(await acceptAttach()).toEqual([200, undefined])
    expect([await kindsOf(a), await kindsOf(b)]).toEqual([['notify'], ['control']])
  })

  it('reuses a control access that was created for an invite before a crash', async () => {
    const { a, b } = await invitedPair(at())
    const [anchor] = await anchorsOf(b)
    const { relId = '', delegate = { username: '', hostSlug: '' } } = anchor ?? {}
    const account = await accountOf(b)
    const { access } = await account.write((t) => provideManaged(at().node, t, { kind: 'control', relId, delegate }))
    await a.arrange('delegations.acceptAttach', { username: b.username })
    expect(await anchorsOf(b)).toMatchObject([{ status: 'active', controlAccessId: access.id }])
    expect(await kindsOf(b)).toEqual(['control'])
  })

  it('leaves no access when the delegation cannot be written', async () => {
    const { a, b } = await invitedPair(at())
    const account = await accountOf(b)
    const { put } = delegates
    delegates.put = () => {
      throw new Error('no')
    }
    const outcome = await outcomeOf(a, a.owner, 'delegations.acceptAttach', { username: b.username }).finally(() => (delegates.put = put))
    expect(outcome).toEqual([503, 'delegation-delivery-failed', { peerStatus: 500 }])
    // Records of calls are written in the background.
    await expect.poll(() => account.isIdle).toBe(true)
    expect(await kindsOf(b)).toEqual(['invite-capability'])
    await a.arrange('delegations.acceptAttach', { username: b.username })
  })

  it('removes an invite on this side when the other side is unreachable', async () => {
    const { a, b } = await invitedPair(at())
    const refuseAttach = (): ReturnType<typeof outcomeOf> => outcomeOf(a, a.owner, 'delegations.refuseAttach', { username: b.username })
    expect(await withLostAnswer('toAccount', 'refuse-response', timeout, false, refuseAttach)).toEqual([200, undefined])
    expect([await mirrorsOf(a), (await anchorsOf(b)).length]).toEqual([[], 1])
    const cancelInvite = (): ReturnType<typeof outcomeOf> => outcomeOf(b, b.owner, 'delegations.cancelInvite', { username: a.username })
    expect(await withLostAnswer('toCore', 'invite', timeout, false, cancelInvite)).toEqual([200, undefined])
    expect(await anchorsOf(b)).toEqual([])
  })

  it.each<[string, Answer, unknown[]]>([
    ['no answer', { status: 0, cause: 'ECONNREFUSED' }, [503, 'delegation-delivery-failed', { cause: 'ECONNREFUSED' }]],
    ['a server error', { status: 500, body: {} }, [503, 'delegation-delivery-failed', { peerStatus: 500 }]],
    ['an incomplete answer', { status: 200, body: { token: 'x' } }, [502, 'delegation-delivery-failed']],
    ['an unauthorized call', { status: 401, body: {} }, [410, 'delegation-not-active', { peerStatus: 401 }]],
  ])('returns no token: %s', async (_, answer, expected) => {
    const pair = await activePair(at())
    const requestToken = (): ReturnType<typeof outcomeOf> => outcomeOf(pair.a, pair.a.owner, 'delegations.getToken', { username: pair.b.username })
    expect(await withLostAnswer('toAccount', 'token', answer, false, requestToken)).toEqual(expected)
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

  it('follows no redirects, and limits the size of the answer and the time', async () => {
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

  it('is not sent for a deleted account of this platform', async () => {
    let calls = 0
    answer = () => [200, {}, `{"ok":${String((calls += 1) > 0)}}`]
    const { node } = at()
    const endpoint = url.replace('://', '://token@')
    const notify = (username: string, hostSlug: string): Promise<Answer> => node.delegations.toAccount({ username, hostSlug }, endpoint, 'detach-notify')
    expect(await notify('nobody-here', '127-0-0-1')).toEqual({ status: 404, body: {} })
    expect(calls).toBe(0)
    expect(await notify('nobody-here', 'another-platform')).toEqual({ status: 200, body: { ok: true } })
  })

  it('requires an endpoint with a token', () => {
    expect(endpointParts('https://a%20b@x.example.org/ana')).toEqual({ base: 'https://x.example.org/ana/', token: 'a b' })
    for (const other of ['', 'x', 'https://x.example.org/ana/', 'ftp://t@x/', 'https://t@x/?auth=1', 'https://t@x/#1', 'https://%ff@x/']) {
      expect([other, endpointParts(other)]).toEqual([other, undefined])
    }
  })
})

describe('the cores of a platform', () => {
  it('are found by the core names of the registry', async () => {
    const noOthers: CoreDirectory = { list: () => [], get: () => undefined, change: () => Promise.reject(new Error('no cores')), watch: () => () => {} }
    const lookUp = ({ value }: { value: string }): Promise<Holder | undefined> =>
      Promise.resolve(value === 'nobody' ? undefined : { core: value, account: value, username: value })
    const cores = (flags: Record<string, unknown>): Cores => createCores({ core: 'one', lookUp, cores: noOthers }, loadConfig({ flags }), () => 'https://self.example.org')
    const registered = cores({ 'dns.domain': 'example.org' })
    expect(await registered.ofAccount('ONE')).toEqual({ username: 'one', core: 'here' })
    expect(await registered.ofAccount('two')).toEqual({ username: 'two', core: { url: 'https://two.example.org/' } })
    expect(await registered.ofAccount('self')).toEqual({ username: 'self', core: undefined })
    expect(await registered.ofAccount('nobody')).toBeUndefined()
    expect(await cores({}).ofAccount('two')).toEqual({ username: 'two', core: undefined })
    expect([registered.named('one'), registered.named('https://self.example.org/'), registered.named('two'), registered.named('')]).toEqual(['here', 'here', undefined, undefined])
  })
})

describe('a node without delegation', () => {
  const at = withNode({ 'delegation.active': false, 'auth.adminAccessKey': 'key' })

  it('has no delegation methods over HTTP, in batches or in its API description', async () => {
    const stage = await newStage(at())
    const { url } = at()
    expect(await outcomeOf(stage, stage.owner, 'delegations.listDelegates', {})).toEqual([404, 'unknown-resource'])
    const batch = await request(`${url}${stage.username}/`, { token: stage.owner, body: [{ method: 'delegations.listDelegates', params: {} }] })
    expect(batch.body['results']).toMatchObject([{ error: { id: 'invalid-method' } }])
    expect((await request(`${url}system/delegation/invite`, { token: 'key', body: {} })).status).toBe(404)
    expect((await request(`${url}service/info`)).body['features']).toMatchObject({ delegation: false })
    expect(JSON.stringify((await request(`${url}openapi.json`)).body['paths'])).not.toContain('delegations')
    expect(await markedOf(stage)).toEqual([])
  })
})

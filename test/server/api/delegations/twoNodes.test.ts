/**
 * Delegations between accounts of two nodes, which call each other over HTTP (docs/interface/delegations.md#between-nodes).
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Core, Cores } from '../../../../src/server/platform/cores/cores.js'
import { endpointParts } from '../../../../src/server/base/endpointParts.js'
import { request, startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { newStage } from '../../../support/http/methodTable.js'
import { activePair, anchorsOf, invitedPair, kindsOf, mirrorsOf, newPair, tokenOf, outcomeOf } from './support.js'

describe('two nodes', () => {
  const settings = { 'auth.adminAccessKey': 'the key of the platform' }
  let one: TestNode
  let two: TestNode
  const coresAt = (own: () => TestNode): Cores => {
    const coreOf = (node: TestNode): Core => (node === own() ? 'here' : { url: node.url })
    return {
      async ofAccount(name) {
        const username = name.toLowerCase()
        if (username === 'nowhere') return { username, core: undefined }
        for (const node of [one, two]) if ((await node.node.accounts.find(username)) !== undefined) return { username, core: coreOf(node) }
        return undefined
      },
      named: (url) => [one, two].filter((node) => node.url === url).map(coreOf)[0],
    }
  }
  beforeAll(async () => {
    one = await startTestNode(settings, { cores: coresAt(() => one) })
    two = await startTestNode(settings, { cores: coresAt(() => two) })
  })
  afterAll(async () => {
    await one.stop()
    await two.stop()
  })

  it('create, use and detach a delegation', async () => {
    const pair = await newPair(one, two)
    const { a, b } = pair
    await b.arrange('delegations.requestAttach', { delegateUsername: a.username })
    await a.arrange('delegations.acceptAttach', { username: b.username })
    expect([await kindsOf(a), await kindsOf(b)]).toEqual([['notify'], ['control']])
    expect((await mirrorsOf(a))[0]?.controlApiEndpoint).toContain(one.url.slice('http://'.length))
    const { token, apiEndpoint } = await a.arrange('delegations.getToken', { username: b.username })
    expect(apiEndpoint).toBe(`${one.url.replace('://', `://${String(token)}@`)}${b.username}/`)
    expect((await request(`${one.url}${b.username}/access-info`, { token: String(token) })).status).toBe(200)
    expect(await tokenOf(pair)).toBe(token)
    await b.arrange('delegations.detachDelegate', { username: a.username })
    expect([await kindsOf(a), await kindsOf(b), await mirrorsOf(a)]).toEqual([[], [], []])
  })

  it('call each other at the URL of the platform, whatever endpoint the other side sent', async () => {
    const pair = await newPair(one, two)
    const { a, b } = pair
    await b.arrange('delegations.requestAttach', { delegateUsername: a.username })
    // The holder of the invite's token sends an endpoint of another server.
    const [mirror] = await mirrorsOf(a)
    const { token = '' } = endpointParts(mirror?.capabilityUrl ?? '') ?? {}
    let calls = 0
    const elsewhere = createServer((_, response) => response.end(String((calls += 1))))
    await new Promise<void>((listening) => elsewhere.listen(0, '127.0.0.1', listening))
    const notifyApiEndpoint = `http://token@127.0.0.1:${(elsewhere.address() as AddressInfo).port}/${a.username}/`
    const body = { delegate: { username: a.username }, notifyApiEndpoint }
    expect((await request(`${one.url}${b.username}/delegations/controlled-side/accept-response`, { token, body })).status).toBe(200)
    await b.arrange('delegations.detachDelegate', { username: a.username })
    elsewhere.close()
    expect(calls).toBe(0)
  })

  it('refuse and cancel invites on both sides', async () => {
    const { a, b } = await invitedPair(one, two)
    await a.arrange('delegations.refuseAttach', { username: b.username })
    expect([await anchorsOf(b), await kindsOf(b)]).toEqual([[], []])
    await b.arrange('delegations.requestAttach', { delegateUsername: a.username })
    await b.arrange('delegations.cancelInvite', { username: a.username })
    expect([await mirrorsOf(a), await anchorsOf(b)]).toEqual([[], []])
  })

  it('create accounts for each other, and leave nothing after a failure', async () => {
    const a = await newStage(two)
    const create = (more: object): ReturnType<typeof outcomeOf> => outcomeOf(a, a.owner, 'delegations.createAccount', { core: one.url, ...more })
    expect(await create({ username: 'made-over-there' })).toEqual([201, undefined])
    expect(await two.node.accounts.find('made-over-there')).toBeUndefined()
    const token = await tokenOf({ a, b: { ...a, node: one, username: 'made-over-there' } })
    expect((await request(`${one.url}made-over-there/access-info`, { token })).status).toBe(200)
    const existing = await newStage(one)
    expect(await create({ username: existing.username })).toEqual([409, 'delegation-username-taken', { username: existing.username }])
    expect((await create({ username: 'No Name' })).slice(0, 2)).toEqual([502, 'delegation-creation-failed'])
    expect((await create({ username: 'elsewhere', core: 'http://127.0.0.1:1/' })).slice(0, 2)).toEqual([400, 'delegation-unknown-core'])
    expect([(await mirrorsOf(a)).length, await kindsOf(a)]).toEqual([1, ['notify']])
  })

  it('detect a missed detachment, and refuse an account of an unknown core', async () => {
    const pair = await activePair(one, two)
    const { a, b } = pair
    const { toAccount } = one.node.delegations
    one.node.delegations.toAccount = () => Promise.resolve({ status: 0, cause: 'timeout' })
    await b.arrange('delegations.detachDelegate', { username: a.username }).finally(() => (one.node.delegations.toAccount = toAccount))
    expect(await outcomeOf(a, a.owner, 'delegations.getToken', { username: b.username })).toEqual([410, 'delegation-not-active', { peerStatus: 403 }])
    expect(await outcomeOf(b, b.owner, 'delegations.requestAttach', { delegateUsername: 'nowhere' })).toEqual([400, 'delegation-unknown-core'])
  })

  it('require the same admin key', async () => {
    const pair = await newPair(one, two)
    const otherPlatform = await startTestNode({ 'auth.adminAccessKey': 'another key' }, { cores: coresAt(() => one) })
    const b = await newStage(otherPlatform)
    const { a } = pair
    const foreignCores = { ofAccount: () => Promise.resolve({ username: a.username, core: { url: two.url } }), named: () => undefined }
    Object.assign(otherPlatform.node, { cores: foreignCores })
    expect(await outcomeOf(b, b.owner, 'delegations.requestAttach', { delegateUsername: a.username })).toEqual([503, 'delegation-delivery-failed', { peerStatus: 404 }])
    expect(await mirrorsOf(a)).toEqual([])
    await otherPlatform.stop()
  })
})

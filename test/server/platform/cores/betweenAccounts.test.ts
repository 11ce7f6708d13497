/**
 * Delegations and consents between accounts of two cores of a platform, over HTTP (docs/interface/delegations.md#between-nodes,
 * docs/interface/messages.md#calls-between-accounts). The addresses of the cores have different hosts.
 */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { peerSlug } from '../../../../src/store/model/consentAccess.js'
import { identityOf } from '../../../../src/server/api/consents/identity.js'
import { openGate, type Gate } from '../../../support/http/gate.js'
import { newStage, type Stage } from '../../../support/http/methodTable.js'
import { startCores, type TestCores } from '../../../support/nodes/memoryPlatform.js'
import { request, type TestNode } from '../../../support/nodes/node.js'
import { acceptLink, inStream, invite, newRequester, relationsOf, SCOPE, write } from '../../api/consents/consentFlow.js'
import { deliverDue, storedEvent } from '../../api/consents/support.js'
import { activePair, anchorsOf, invitedPair, kindsOf, mirrorsOf, newPair, outcomeOf, tokenOf } from '../../api/delegations/support.js'

let gate: Gate
let cores: TestCores
let calls: string[] = []
const [one, two] = [(): TestNode => cores.node('core-a'), (): TestNode => cores.node('core-b')]
/** URL of core-b. */
let urlOfTwo: string

beforeAll(async () => {
  gate = await openGate()
  urlOfTwo = gate.url.replace('127.0.0.1', 'localhost')
  cores = await startCores({ 'core-a': {}, 'core-b': { 'core.url': urlOfTwo } })
  gate.port = (path) => {
    calls.push(path)
    return two().port
  }
})
afterAll(async () => {
  await cores.stop()
  await gate.stop()
})
afterEach(() => {
  cores.platform.stopAnswering(false)
  gate.way = 'open'
  calls = []
})

/** Starts a core that has no account any more, and answers that they are on another one. */
async function startFormerCore(id: string, coreUrl: string): Promise<{ server: Server; received: string[] }> {
  const received: string[] = []
  const server = createServer((incoming, response) => {
    received.push(incoming.url ?? '')
    response.writeHead(421).end(JSON.stringify({ error: { id: 'wrong-core', coreUrl } }))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  cores.platform.setCore(id, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, state: 'active' })
  return { server, received }
}

/** Lets a core look an account up as being on another core than it is. */
async function misplace(node: TestNode, username: string, at: string): Promise<void> {
  const name = { field: 'username', value: username }
  const holder = cores.platform.holderOf(name)
  if (holder === undefined) throw new Error(`no account ${username}`)
  cores.platform.setHolder(name, { ...holder, core: at })
  await node.node.registry.lookUp(name, { isFresh: true })
  cores.platform.setHolder(name, holder)
}

describe('a delegation between accounts of two cores', () => {
  it('is created, used and detached', async () => {
    const pair = await newPair(one(), two())
    const { a, b } = pair
    await b.arrange('delegations.requestAttach', { delegateUsername: a.username })
    expect(calls).toEqual(['/system/delegation/invite'])
    await a.arrange('delegations.acceptAttach', { username: b.username })
    expect([await kindsOf(a), await kindsOf(b)]).toEqual([['notify'], ['control']])
    const token = await tokenOf(pair)
    expect((await request(`${one().url}${b.username}/access-info`, { token })).status).toBe(200)
    expect((await request(`${urlOfTwo}${b.username}/access-info`, { token })).status).toBe(421)
    expect(await tokenOf(pair)).toBe(token)
    await b.arrange('delegations.detachDelegate', { username: a.username })
    expect([await kindsOf(a), await kindsOf(b), await mirrorsOf(a)]).toEqual([[], [], []])
  })

  it('is refused, and its invite cancelled, on both sides', async () => {
    const { a, b } = await invitedPair(one(), two())
    await a.arrange('delegations.refuseAttach', { username: b.username })
    expect([await anchorsOf(b), await kindsOf(b)]).toEqual([[], []])
    await b.arrange('delegations.requestAttach', { delegateUsername: a.username })
    await b.arrange('delegations.cancelInvite', { username: a.username })
    expect([await mirrorsOf(a), await anchorsOf(b)]).toEqual([[], []])
  })

  it('is not created when the other core cannot be reached, and leaves nothing', async () => {
    const { a, b } = await newPair(one(), two())
    gate.way = 'away'
    expect((await outcomeOf(b, b.owner, 'delegations.requestAttach', { delegateUsername: a.username })).slice(0, 2)).toEqual([503, 'delegation-delivery-failed'])
    expect([await anchorsOf(b), await kindsOf(b), await mirrorsOf(a)]).toEqual([[], [], []])
  })

  it('is not created for accounts whose core has no address, or that of this core', async () => {
    const { b } = await newPair(one(), two())
    cores.platform.setHolder({ field: 'username', value: 'of-no-core' }, { core: 'core-x', account: 'x' })
    cores.platform.setCore('core-y', { url: one().url, state: 'active' })
    cores.platform.setHolder({ field: 'username', value: 'of-itself' }, { core: 'core-y', account: 'y' })
    for (const delegateUsername of ['of-no-core', 'of-itself']) {
      expect(await outcomeOf(b, b.owner, 'delegations.requestAttach', { delegateUsername })).toEqual([400, 'delegation-unknown-core'])
    }
    cores.platform.setCore('core-y', { url: 'http://127.0.0.1:1/' })
  })

  it('creates accounts on the core with an id or a URL, and nothing when that core cannot be reached', async () => {
    const a = await newStage(one())
    const create = (username: string, core: string): ReturnType<typeof outcomeOf> => outcomeOf(a, a.owner, 'delegations.createAccount', { username, core })
    expect(await create('made-by-id', 'core-b')).toEqual([201, undefined])
    expect(await create('made-by-url', urlOfTwo.slice(0, -1))).toEqual([201, undefined])
    for (const username of ['made-by-id', 'made-by-url']) {
      expect(cores.platform.holderOf({ field: 'username', value: username })?.core).toBe('core-b')
      const token = await tokenOf({ a, b: { ...a, node: two(), username } })
      expect((await request(`${urlOfTwo}${username}/access-info`, { token })).status).toBe(200)
    }
    expect(await create('made-nowhere', 'core-x')).toEqual([400, 'delegation-unknown-core'])
    gate.way = 'away'
    expect((await create('never-made', 'core-b')).slice(0, 2)).toEqual([502, 'delegation-creation-failed'])
    expect([(await mirrorsOf(a)).length, (await kindsOf(a)).length]).toEqual([2, 2])
    expect(cores.platform.holderOf({ field: 'username', value: 'never-made' })).toBeUndefined()
  })

  it('follows an account that another core of the platform names, once', async () => {
    const pair = await activePair(two(), one())
    const { server, received } = await startFormerCore('core-f', urlOfTwo)
    await misplace(one(), pair.b.username, 'core-f')
    expect(await outcomeOf(pair.a, pair.a.owner, 'delegations.getToken', { username: pair.b.username })).toEqual([200, undefined])
    expect(received).toHaveLength(1)
    const loop = await startFormerCore('core-g', `${urlOfTwo}elsewhere/`)
    await misplace(one(), pair.b.username, 'core-g')
    expect((await outcomeOf(pair.a, pair.a.owner, 'delegations.getToken', { username: pair.b.username }))[0]).toBeGreaterThanOrEqual(400)
    expect(loop.received).toHaveLength(1)
    server.close()
    loop.server.close()
  })
})

describe('a consent between accounts of two cores', () => {
  const slug = ({ node, username }: Stage): string => peerSlug(identityOf(node.node, username))

  it('is agreed on, carries messages, and is revoked', async () => {
    const [alice, bob] = [await newRequester(one()), await newStage(two())]
    const { content } = await invite(alice)
    expect(await acceptLink(bob, content['capabilityUrl'])).toMatchObject({ status: 'completed', from: { username: alice.username } })
    await deliverDue(one(), two())
    // The core of the requester reads the access of the accepting account before it accepts the answer.
    expect(calls).toContain(`/${bob.username}/access-info`)
    for (const [from, to] of [[alice, bob], [bob, alice]] as const) {
      const { id } = await write(from, 'message/chat-cmc', { content: from.username }, `${SCOPE}:chats:${slug(to)}`)
      await deliverDue(one(), two())
      expect((await storedEvent(from, id)).content).toMatchObject({ status: 'completed' })
      expect((await inStream(to, `${SCOPE}:chats:${slug(from)}`))[0]?.content).toMatchObject({ content: from.username })
    }
    const [granted] = await relationsOf(bob)
    expect(granted).toBeDefined()
    const accessId = String(granted?.access.id)
    expect((await request(`${urlOfTwo}${bob.username}/accesses/${accessId}`, { method: 'DELETE', token: bob.owner })).status).toBe(200)
    await deliverDue(one(), two())
    expect([await relationsOf(alice), await relationsOf(bob)]).toEqual([[], []])
  })

  it('reaches an account at its core, whichever core its address names', async () => {
    const [alice, bob] = [await newRequester(two()), await newStage(one())]
    const { content } = await invite(alice)
    const former = await startFormerCore('core-h', urlOfTwo)
    const { port } = former.server.address() as AddressInfo
    const moved = String(content['capabilityUrl']).replace(/@localhost:\d+/, `@127.0.0.1:${port}`)
    expect(moved).not.toBe(content['capabilityUrl'])
    expect(await acceptLink(bob, moved)).toMatchObject({ status: 'completed' })
    expect(former.received).toEqual([])
    former.server.close()
  })

  it('fails for now when the other core cannot be reached', async () => {
    const [alice, bob] = [await newRequester(two()), await newStage(one())]
    const { content } = await invite(alice)
    gate.way = 'away'
    const answer = await acceptLink(bob, content['capabilityUrl'])
    expect(answer).not.toMatchObject({ status: 'completed' })
    expect(await relationsOf(bob)).toEqual([])
  })
})

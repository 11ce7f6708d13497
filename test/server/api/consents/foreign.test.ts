/** Offers and responses of other nodes, also invalid ones (docs/interface/consents.md). */
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { retryDelay } from '../../../../src/server/api/consents/delivery/dispatcher.js'
import { fakeClock } from '../../../support/nodes/clock.js'
import { newStage } from '../../../support/http/methodTable.js'
import { withNode } from '../../../support/nodes/started.js'
import { acceptLink, contentOf, offering, deliverDue, relationsOf, SCOPE } from './consentFlow.js'

type Content = Record<string, unknown>

/** Responses of the other node: to reads of the offer, and to each answer to it. */
interface Script {
  offer: { status?: number; body?: unknown; location?: string; isSilent?: true }
  answers: { status: number; body?: unknown }[]
}

const clock = fakeClock()
const node = withNode({}, { clock })
let server: Server
/** Same name at another port, which is indistinguishable in stream ids. */
let other: Server
let script: Script
let received: Content[] = []

beforeAll(async () => {
  const listener: RequestListener = (request, response) => {
    let text = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    request.on('end', () => {
      const isRead = request.method === 'GET'
      if (!isRead) received.push(JSON.parse(text) as Content)
      if (isRead && script.offer.isSilent === true) return
      const { status = 200, body = {}, location }: Script['offer'] = isRead ? script.offer : (script.answers.shift() ?? {})
      response.writeHead(status, location === undefined ? {} : { location }).end(JSON.stringify(body))
    })
  }
  ;[server, other] = [createServer(listener), createServer(listener)]
  for (const each of [server, other]) await new Promise<void>((listening) => each.listen(0, '127.0.0.1', listening))
})
afterAll(() => {
  for (const each of [server, other]) {
    each.closeAllConnections()
    each.close()
  }
})

const hostOf = (each: Server): string => `127.0.0.1:${(each.address() as AddressInfo).port}`
const hostHere = (): string => hostOf(server)
const { capabilityRequested: _, ...requested } = offering()
const offered = (more: Content = {}): Content => ({
  id: 'the-offer',
  type: 'consent/request-cmc',
  content: { ...requested, capabilityId: 'k1', originStreamId: SCOPE, requesterUsername: 'dora', requesterHost: hostHere(), ...more },
})
const events = (...all: Content[]): Script['offer'] => ({ body: { events: all } })
const linkHere = (): string => `http://token@${hostHere()}/dora/`
const permissions = (...entries: object[]): Script['offer'] =>
  events(offered({ request: { ...(requested['request'] as Content), permissions: entries } }))
const error = (status: number, id: string): Script['answers'][number] => ({ status, body: { error: { id: 'invalid-operation', data: { id } } } })

describe('an offer of another node', () => {
  it.each<[string, () => Script['offer'], string]>([
    ['is refused', () => ({ status: 401 }), 'cmc-capability-invalid'],
    ['has expired', () => ({ status: 403 }), 'cmc-capability-invalid'],
    ['is missing', () => ({ status: 404 }), 'cmc-handler-offer-read-failed'],
    ['redirects', () => ({ status: 302, location: 'http://127.0.0.1:1/' }), 'cmc-handler-offer-read-failed'],
    ['is empty', () => events(), 'cmc-capability-empty'],
    ['consists of two events', () => events(offered(), offered()), 'cmc-capability-multiple-offers'],
    ['is too large', () => events(offered({ text: 'x'.repeat(262_144) })), 'cmc-capability-offer-too-large'],
    ['has no capability id', () => events(offered({ capabilityId: undefined })), 'cmc-handler-offer-missing-capability-id'],
    ['names no requester', () => events(offered({ requesterUsername: undefined })), 'cmc-handler-counterparty-unknown'],
    ['requests no permissions', () => permissions(), 'cmc-offer-empty-permissions'],
    ['requests the level none', () => permissions({ streamId: 'a', level: 'none' }), 'cmc-offer-invalid-permissions'],
    ['marks a permission as mandatory and optIn', () => permissions({ streamId: 'a', level: 'read', mandatory: true, optIn: true }), 'cmc-offer-invalid-permissions'],
    ['requests an invalid stream id', () => permissions({ streamId: 'a\n', level: 'read' }), 'cmc-offer-invalid-permissions'],
    ['requests a personal access', () => events(offered({ request: { ...(requested['request'] as Content), accessType: 'personal' } })), 'cmc-offer-invalid-access-type'],
    ['names an account of another host', () => events(offered({ requesterHost: 'elsewhere.example' })), 'cmc-handler-counterparty-unknown'],
    ['names another account of its host', () => events(offered({ requesterUsername: 'another' })), 'cmc-handler-counterparty-unknown'],
    ['names an account of this node', () => events(offered({ requesterHost: new URL(node().url).host })), 'cmc-handler-counterparty-unknown'],
  ])('that %s gets no grant', async (_it, offer, reason) => {
    script = { offer: offer(), answers: [] }
    received = []
    const bob = await newStage(node())
    expect(await acceptLink(bob, linkHere())).toMatchObject({ status: 'failed', failure: { reason } })
    expect([received, await relationsOf(bob)]).toEqual([[], []])
  })

  it('of an account with the same name in stream ids as another one gets no grant in the same scope', async () => {
    script = { offer: events(offered()), answers: [{ status: 201 }] }
    const bob = await newStage(node())
    expect(await acceptLink(bob, linkHere())).toMatchObject({ status: 'completed' })
    const before = await relationsOf(bob)
    script = { offer: events(offered({ requesterHost: hostOf(other) })), answers: [{ status: 201 }] }
    const end = await acceptLink(bob, `http://token@${hostOf(other)}/dora/`)
    expect(end).toMatchObject({ status: 'failed', failure: { reason: 'cmc-handler-counterparty-unknown' } })
    expect(await relationsOf(bob)).toEqual(before)
    const otherScope = events(offered({ requesterHost: hostOf(other), originStreamId: ':_cmc:apps:study:s2' }))
    script = { offer: otherScope, answers: [{ status: 201 }] }
    expect(await acceptLink(bob, `http://token@${hostOf(other)}/dora/`)).toMatchObject({ status: 'completed' })
  })

  it('whose answer fails keeps the grant, and is answered identically by a retry', async () => {
    script = { offer: events(offered()), answers: [{ status: 503 }, { status: 201, body: { event: { id: 'x' } } }] }
    received = []
    const bob = await newStage(node())
    const { id, ...first } = await acceptLink(bob, linkHere())
    expect(first).toMatchObject({ status: 'failed', failure: { reason: 'cmc-handler-delivery-failed', detail: { status: 503 } } })
    const before = await relationsOf(bob)
    expect(before.length).toBe(1)
    clock.pass(2)
    await deliverDue(node())
    expect(await contentOf(bob, String(id))).toMatchObject({ status: 'completed', from: { username: 'dora', host: hostHere() } })
    expect(await relationsOf(bob)).toEqual(before)
    expect(received.length).toBe(2)
    expect(received[1]).toEqual(received[0])
  })

  it('that refuses the answer loses the grant, also at a retry', async () => {
    script = { offer: events(offered()), answers: [{ status: 500 }, error(400, 'cmc-capability-consumed')] }
    const bob = await newStage(node())
    const { id } = await acceptLink(bob, linkHere())
    expect((await relationsOf(bob)).length).toBe(1)
    clock.pass(2)
    await deliverDue(node())
    expect(await contentOf(bob, String(id))).toMatchObject({ status: 'failed', failure: { reason: 'cmc-capability-consumed' } })
    expect(await relationsOf(bob)).toEqual([])
    script = { offer: events(offered()), answers: [error(400, 'something-else')] }
    expect(await acceptLink(bob, linkHere())).toMatchObject({ failure: { reason: 'cmc-handler-delivery-rejected', detail: { status: 400 } } })
  })

  it('whose answer always fails is retried with increasing delays, in six attempts', async () => {
    expect([1, 2, 3, 4, 5, 6].map(retryDelay)).toEqual([1, 5, 25, 125, 600, 600])
    script = { offer: events(offered()), answers: Array.from({ length: 9 }, () => ({ status: 502 })) }
    received = []
    const bob = await newStage(node())
    const { id } = await acceptLink(bob, linkHere())
    const counts: number[] = []
    for (let tried = 1; tried < 8; tried++) {
      counts.push(received.length)
      clock.pass(retryDelay(tried) - 0.5)
      await deliverDue(node())
      expect(received.length).toBe(counts.at(-1))
      clock.pass(1)
      await deliverDue(node())
    }
    expect(counts).toEqual([1, 2, 3, 4, 5, 6, 6])
    expect(await contentOf(bob, String(id))).toMatchObject({ status: 'failed', failure: { reason: 'cmc-handler-delivery-failed', detail: { status: 502 } } })
  })

  it('that does not arrive fails after a timeout', async () => {
    script = { offer: { isSilent: true }, answers: [] }
    const { setTimeout: real } = globalThis
    const timers = vi.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, ms?: number) => real(run, ms === 15_000 ? 10 : ms)) as never)
    const bob = await newStage(node())
    const end = await acceptLink(bob, linkHere())
    timers.mockRestore()
    expect(end).toMatchObject({ status: 'failed', failure: { reason: 'cmc-capability-timeout' } })
  })

  it('is not granted again if the accepter deletes the grant before a retry', async () => {
    script = { offer: events(offered()), answers: [{ status: 503 }, { status: 201 }] }
    const bob = await newStage(node())
    const { id } = await acceptLink(bob, linkHere())
    const [grant] = await relationsOf(bob)
    await bob.arrange('accesses.delete', { id: grant?.access.id })
    clock.pass(2)
    await deliverDue(node())
    expect(await relationsOf(bob)).toEqual([])
    expect((await contentOf(bob, String(id)))['status']).toBe('failed')
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkStore } from '../../../src/store/check/index.js'
import type { Account } from '../../../src/store/engine/account.js'
import type { Store } from '../../../src/store/index.js'
import { ChannelError, type Channel, type Wire } from '../../../src/sync/channel/channel.js'
import { initiate, respond } from '../../../src/sync/channel/open.js'
import { parsePurpose } from '../../../src/sync/channel/purpose.js'
import { acceptPairing } from '../../../src/sync/pairing/accept.js'
import { makeIdentity, type Identity } from '../../../src/sync/pairing/identity.js'
import { parsePairingUrl } from '../../../src/sync/pairing/pairingUrl.js'
import { createOffers, TooManyOffers, type Offer, type Offers } from '../../../src/sync/pairing/offers.js'
import type { Pairing } from '../../../src/sync/pairing/pairing.js'
import { proofOf } from '../../../src/sync/pairing/pairingUrl.js'
import { listPeers, removePeer, type Scope } from '../../../src/store/replication/peers.js'
import { makeAccount, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { manualTimers, newSigner, type ManualTimers } from '../../support/sync/signers.js'
import { memoryWires, type MemoryWires, type WireOptions } from '../../support/sync/wires.js'

interface Side {
  node: TestNode
  store: Store
  account: Account
  identity: Identity
}

let home: Side
let away: Side
let timers: ManualTimers
let offers: Offers
const NOW = 1_000_000
let now = NOW

async function side(): Promise<Side> {
  const node = await startTestNode()
  await makeAccount(node, 'anna1')
  const loaded = await node.node.accounts.find('anna1')
  if (loaded === undefined) throw new Error('no account')
  const { store } = node.node
  return { node, store, account: loaded.account, identity: await makeIdentity(store) }
}

beforeAll(async () => {
  home = await side()
  away = await side()
})
afterAll(async () => {
  await home.node.stop()
  await away.node.stop()
})

function fresh(): void {
  now = NOW
  timers = manualTimers()
  offers = createOffers({ name: 'home server', identity: () => Promise.resolve(home.identity), now: () => now, timers })
}

const mirror: Scope = { is: 'mirror' }
const offered = (scope: Scope = mirror): Promise<Offer> =>
  offers.offer({ account: home.account, accountName: 'anna1', scope, address: 'http://home.example:3000/' })

/** Passes a caller to the offers, as the handler of sync connections does. */
async function answer(channel: Channel): Promise<void> {
  const first = await channel.messages[Symbol.asyncIterator]().next()
  expect(first.done === true ? undefined : parsePurpose(first.value)).toEqual({ is: 'pair' })
  await offers.answer(channel)
}

async function connected(options: WireOptions = {}): Promise<MemoryWires & { calling: Channel; answered: Promise<void> }> {
  const wires = memoryWires(options)
  const [calling, called] = await Promise.all([
    initiate(wires.ends[0], { signer: away.identity, timers, expected: home.identity.node }),
    respond(wires.ends[1], { signer: home.identity, timers }),
  ])
  return { ...wires, calling, answered: answer(called).catch(() => {}) }
}

const accepting = (channel: Channel, link: string): Promise<Pairing> =>
  acceptPairing({
    ...{ channel, link: parsePairingUrl(link), account: away.account, accountName: 'anna1', name: 'laptop' },
    ...{ node: away.identity.node, now: () => now + 3, timers },
  })

async function showWords(scope?: Scope, options?: WireOptions): Promise<{ there: Pairing; here: Pairing; cut(): void; calling: Channel }> {
  const offer = await offered(scope)
  const { calling, cut } = await connected(options)
  const there = await accepting(calling, offer.link)
  return { there, here: await offer.pairing, cut, calling }
}

const peersOf = ({ store, account }: Side): ReturnType<typeof listPeers> => listPeers(store.db, account.prefix)

async function unpaired(): Promise<void> {
  for (const { store, account } of [home, away]) {
    for (const { number } of await listPeers(store.db, account.prefix)) await account.write((t) => removePeer(t, number))
  }
}

describe('pairing', () => {
  beforeAll(fresh)

  it('shows both the same words, and stores a record on both nodes before either has finished', async () => {
    fresh()
    const scope: Scope = { is: 'share', streams: ['heart', 'sleep'], direction: 'send', grantor: 'us' }
    const { there, here } = await showWords(scope)
    expect(there.words).toEqual(here.words)
    expect(new Set(there.words).size).toBeGreaterThan(1)
    expect([there.peerName, here.peerName, here.clockSkew]).toEqual(['home server', 'laptop', 3])
    expect([there.peerNode, here.peerNode]).toEqual([home.identity.node, away.identity.node])
    const seen: number[] = []
    for (const done of [there.done, here.done]) {
      void done.then(async () => seen.push((await peersOf(home)).length + (await peersOf(away)).length))
    }
    const first = here.confirm()
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect([await peersOf(home), await peersOf(away)]).toEqual([[], []])
    const [mine, theirs] = await Promise.all([first, there.confirm()])
    expect(mine.pairing).toBe(theirs.pairing)
    expect(mine).toMatchObject({ name: 'laptop', account: 'anna1', node: away.identity.node, scope, paired: NOW })
    expect(theirs).toMatchObject({ name: 'home server', address: 'http://home.example:3000/', node: home.identity.node })
    expect(theirs.scope).toEqual({ is: 'share', streams: ['heart', 'sleep'], direction: 'receive', grantor: 'them' })
    expect(await peersOf(home)).toEqual([mine])
    expect(await peersOf(away)).toEqual([theirs])
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(seen).toEqual([2, 2])
    expect(timers.waiting).toBe(0)
  })

  it('refuses to pair the same accounts again, and never reuses a number', async () => {
    fresh()
    const offer = await offered()
    const { calling } = await connected()
    const again = accepting(calling, offer.link)
    await expect(again).rejects.toMatchObject({ reason: 'already-paired' })
    await expect(offer.pairing).rejects.toMatchObject({ reason: 'already-paired' })
    const [before] = await peersOf(home)
    await unpaired()
    const { there, here } = await showWords()
    const [peer] = await Promise.all([here.confirm(), there.confirm()])
    expect(peer.number).toBe((before?.number ?? 0) + 1)
    await unpaired()
  })

  it('uses up the offer for one of two concurrent accepts', async () => {
    fresh()
    const offer = await offered()
    const links = await Promise.all([connected(), connected()])
    const results = await Promise.allSettled(links.map(({ calling }) => accepting(calling, offer.link)))
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { reason: 'unknown-offer' } })
    expect(offers.waiting).toBe(0)
    ;(await offer.pairing).refuse()
  })

  it('answers a wrong secret, a used, an old and an unknown offer alike, and ends an offer after five attempts', async () => {
    fresh()
    const refusals: string[] = []
    async function refused(link: string, tap?: WireOptions['tap']): Promise<void> {
      const { calling } = await connected(tap === undefined ? {} : { tap })
      const error = await accepting(calling, link).then(() => undefined, (cause: unknown) => cause as ChannelError)
      refusals.push(`${String(error?.reason)} ${String(error?.message)} ${calling.closeReason ?? ''} ${calling.received}`)
    }
    const other = await offered()
    other.withdraw()
    await expect(other.pairing).rejects.toMatchObject({ reason: 'withdrawn' })
    await refused(other.link)
    const old = await offered()
    now += 600
    timers.pass(600_000)
    await expect(old.pairing).rejects.toMatchObject({ reason: 'expired' })
    await refused(old.link)
    const used = await offered()
    const { calling } = await connected()
    const pairing = await accepting(calling, used.link)
    pairing.refuse()
    await refused(used.link)
    const tried = await offered()
    // Simulates a caller that knows the name of an offer, but not its secret: the proof is for another session.
    for (let n = 0; n < 5; n++) {
      const elsewhere = await connected()
      const { calling: channel } = await connected()
      const bound = new Proxy(channel, { get: (it, key) => (key === 'binding' ? elsewhere.calling.binding : Reflect.get(it, key)) as unknown })
      const error = await accepting(bound, tried.link).then(() => undefined, (cause: unknown) => cause as ChannelError)
      refusals.push(`${String(error?.reason)} ${String(error?.message)} ${channel.closeReason ?? ''} ${channel.received}`)
    }
    await expect(tried.pairing).rejects.toMatchObject({ reason: 'refused' })
    await refused(tried.link)
    expect(refusals).toHaveLength(9)
    expect(new Set(refusals).size).toBe(1)
    expect(refusals[0]).toMatch(/^unknown-offer/)
  })

  it('accepts at most twenty open offers', async () => {
    fresh()
    for (let n = 0; n < 20; n++) await offered()
    await expect(offered()).rejects.toThrow(TooManyOffers)
    offers.stop()
    expect(offers.waiting).toBe(0)
  })

  it.each([['there'], ['here']] as const)('ends on both sides when refused %s', async (who) => {
    fresh()
    const { there, here } = await showWords()
    const [refusing, other] = who === 'there' ? [there, here] : [here, there]
    const confirmed = other.confirm()
    refusing.refuse('the words differ')
    await expect(confirmed).rejects.toMatchObject({ reason: 'refused', message: expect.stringContaining('the words differ') })
    await expect(refusing.confirm()).rejects.toMatchObject({ reason: 'refused' })
    expect([await peersOf(home), await peersOf(away)]).toEqual([[], []])
  })

  it.each([['there'], ['here']] as const)('can be revoked %s by the side that confirmed first, until both have', async (who) => {
    fresh()
    const { there, here } = await showWords()
    const [first, other] = who === 'there' ? [there, here] : [here, there]
    const confirmed = first.confirm()
    expect(first.refuse('changed my mind')).toBe(true)
    await expect(confirmed).rejects.toMatchObject({ reason: 'refused' })
    await expect(other.confirm()).rejects.toMatchObject({ reason: 'refused', message: expect.stringContaining('changed my mind') })
    expect([await peersOf(home), await peersOf(away)]).toEqual([[], []])
  })

  it('expires without confirmation', async () => {
    fresh()
    const { there, here } = await showWords()
    const confirmed = there.confirm()
    timers.pass(600_000)
    await expect(confirmed).rejects.toMatchObject({ reason: 'expired' })
    await expect(here.done).rejects.toMatchObject({ reason: 'expired' })
    expect([await peersOf(home), await peersOf(away)]).toEqual([[], []])
  })

  it('cut at any frame, leaves a record on both, or on neither, or an unsure accepter', async () => {
    const seen = new Set<string>()
    // The handshake has three frames; the last frames follow the success.
    for (let at = 4; at < 16; at++) {
      fresh()
      let n = 0
      const wires: MemoryWires[] = []
      const tap = (frame: Uint8Array): Uint8Array[] => {
        if (++n !== at) return [frame]
        wires[0]?.cut()
        return []
      }
      const offer = await offered()
      const link = await connected({ tap })
      wires.push(link)
      const [there, here] = await Promise.all([
        accepting(link.calling, offer.link).then((pairing) => pairing.confirm()).catch((error: Error) => error),
        offer.pairing.then((pairing) => pairing.confirm()).catch((error: Error) => error),
        link.answered,
        ...(at === 4 || at === 5 ? [Promise.resolve().then(() => offer.withdraw())] : []),
      ])
      const [ours, theirs] = [await peersOf(home), await peersOf(away)]
      const reason = there instanceof Error ? String(Object(there)['reason']) : 'paired'
      const state = `${theirs.length} ${ours.length} ${reason} ${here instanceof Error ? 'failed' : 'paired'}`
      expect(['0 0 lost failed', '1 0 unsure failed', '1 1 unsure paired', '1 1 paired paired'], `cut at ${at}`).toContain(state)
      seen.add(state)
      await unpaired()
    }
    expect([...seen]).toEqual(expect.arrayContaining(['0 0 lost failed', '1 0 unsure failed', '1 1 unsure paired', '1 1 paired paired']))
  })

  it('refuses to pair an account with itself', async () => {
    fresh()
    const offer = await offered()
    const wires = memoryWires()
    const [calling, called] = await Promise.all([
      initiate(wires.ends[0], { signer: home.identity, timers }),
      respond(wires.ends[1], { signer: home.identity, timers }),
    ])
    void answer(called)
    const accepted = acceptPairing({
      ...{ channel: calling, link: parsePairingUrl(offer.link), account: home.account, accountName: 'anna1', name: 'home' },
      ...{ node: home.identity.node, now: () => now, timers },
    })
    await expect(accepted).rejects.toMatchObject({ reason: 'self' })
    await expect(offer.pairing).rejects.toMatchObject({ reason: 'self' })
  })

  it('shows different words to both with an attacker in the middle, whom the key in the link reveals before', async () => {
    fresh()
    const offer = await offered()
    const between = await newSigner()
    const [near, far]: [MemoryWires, MemoryWires] = [memoryWires(), memoryWires()]
    const opens = (wire: Wire, expected: string): Promise<Channel> => initiate(wire, { signer: away.identity, timers, expected })
    const checked = memoryWires()
    const refused = opens(checked.ends[0], home.identity.node)
    respond(checked.ends[1], { signer: between, timers }).catch(() => {})
    await expect(refused).rejects.toMatchObject({ reason: 'identity' })

    // With a link of its own and the secret of the real one, the attacker reaches the words.
    const [calling, accepted, relayed, called] = await Promise.all([
      opens(near.ends[0], between.node),
      respond(near.ends[1], { signer: between, timers }),
      initiate(far.ends[0], { signer: between, timers }),
      respond(far.ends[1], { signer: home.identity, timers }),
    ])
    void answer(called)
    const true_ = parsePairingUrl(offer.link)
    const there = acceptPairing({
      ...{ channel: calling, link: { ...true_, node: between.node }, account: away.account, accountName: 'anna1', name: 'laptop' },
      ...{ node: away.identity.node, now: () => now, timers },
    })
    const pump = async (from: Channel, to: Channel): Promise<void> => {
      for await (const message of from.messages) {
        const text = Buffer.from(message).toString()
        const fields = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : undefined
        if (fields?.['is'] === 'hello') {
          fields['proof'] = Buffer.from(proofOf(true_.secret, relayed.binding, between.node)).toString('base64url')
        }
        await to.send(fields === undefined ? message : Buffer.from(JSON.stringify(fields)))
      }
    }
    pump(accepted, relayed).catch(() => {})
    pump(relayed, accepted).catch(() => {})
    const [one, other] = await Promise.all([there, offer.pairing])
    expect(one.words).not.toEqual(other.words)
    one.refuse()
  })

  it('leaves a sound store', async () => {
    fresh()
    const { there, here } = await showWords()
    await Promise.all([there.confirm(), here.confirm()])
    const { store } = away
    await store.settled()
    // Other tests check the chain of commits, and a running node does not expose its head.
    const head = { sequence: store.commits, hash: new Uint8Array(32) }
    const { problems, checked } = await checkStore(store.db, { head, seal: store.seal })
    expect(problems.filter(({ where }) => /peer|identity|key/.test(where))).toEqual([])
    expect(checked).toMatchObject({ peers: 1, identities: 1 })
    await unpaired()
  })
})

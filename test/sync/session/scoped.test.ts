/** Points, files and shares in sessions: transferred with items, or held back. */
import { hash, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { ItemRef } from '../../../src/sync/wire/entry.js'
import type { Direction, Scope } from '../../../src/store/replication/peers.js'
import { FakeAccount } from './fakeAccount.js'
import { inSync, openSessions, waitForState, type SessionPair } from './sessionPair.js'

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

describe('series', () => {
  it('are sent from the position of each side, and live without a request', async () => {
    const [a, b] = [new FakeAccount('a'), new FakeAccount('b')]
    a.points('h', 'p', 10)
    a.points('h', 'p', 20)
    b.points('h', 'q', 15)
    const requests: number[] = []
    const sessions = await openSessions(a, b, {
      tap(frame, from) {
        if (frame[1] === 4) requests.push(from)
        return [frame]
      },
    })
    await inSync(sessions)
    expect(a.shown()).toEqual(b.shown())
    expect([...(b.items.get('mh')?.reaches ?? [])].sort()).toEqual([['p', 20], ['q', 15]])
    // The first write without a known version of the peer is offered.
    a.points('h', 'p', 21)
    await inSync(sessions)
    const requested = requests.length
    for (let time = 22; time < 60; time++) {
      a.points('h', 'p', time)
      if (time % 9 === 0) await pause(2)
    }
    await inSync(sessions)
    expect(a.shown()).toEqual(b.shown())
    expect(requests.length - requested).toBe(0)
    expect(b.outcomes.incomplete).toBe(0)
    await sessions.end()
  })
})

describe('a requested event', () => {
  it('is sent after its current stream, even if the feed has not reached that', async () => {
    const [a, b] = [new FakeAccount('a'), new FakeAccount('b')]
    a.write('event', 'moved', 'one')
    for (let n = 0; n < 1500; n++) a.write('event', `other${n}`, 'one')
    a.write('stream', 'new', 'one')
    a.write('event', 'moved', 'two<one')
    a.places.set('moved', ['new'])
    b.pendingFetch.set(1, new Map([['emoved', { kind: 'event', id: 'moved' }]]))
    const sessions = await openSessions(a, b)
    await inSync(sessions)
    const arrivals = b.journal.map(({ kind, id }) => `${kind} ${id}`)
    expect(arrivals.indexOf('event moved')).toBe(arrivals.indexOf('stream new') + 1)
    // It did arrive before the rest of the feed.
    expect(arrivals.indexOf('event moved')).toBeLessThan(1500)
    await sessions.end()
  })
})

describe('files', () => {
  const content = randomBytes(300_000)
  const digest = hash('sha256', content)

  function withFile(): [FakeAccount, FakeAccount] {
    const [a, b] = [new FakeAccount('a'), new FakeAccount('b')]
    a.files.set(digest, content)
    a.write('event', 'x', `a:${digest}`)
    return [a, b]
  }

  it('are sent after their events, resumed from an earlier session', async () => {
    const [a, b] = withFile()
    let parts = 0
    const first: SessionPair = await openSessions(a, b, {
      tap(frame, from) {
        if (from === 0 && frame[1] === 9) parts += 1
        if (parts === 2) setTimeout(() => first.cut(), 20)
        return parts >= 2 ? [] : [frame]
      },
    })
    await first.b.ended
    expect(b.files.size).toBe(0)
    const had = b.parts.get(digest)?.length ?? 0
    expect(had).toBeGreaterThan(0)
    const second = await openSessions(a, b)
    await inSync(second)
    expect(b.begun).toEqual([0, had])
    expect(Buffer.compare(b.files.get(digest) ?? Buffer.alloc(0), content)).toBe(0)
    expect(second.b.status().filesPending).toBe(0)
    await second.end()
  })

  it('that are damaged are not stored', async () => {
    const [a, b] = withFile()
    a.files.set(digest, randomBytes(300_000))
    const sessions = await openSessions(a, b)
    await pause(200)
    expect(b.files.size).toBe(0)
    await sessions.end()
  })

  it('that the peer lacks leave both behind, count as missing, and are sent once it has them', async () => {
    const [a, b] = withFile()
    a.files.clear()
    a.want(digest, content.length)
    const sessions = await openSessions(a, b)
    expect(await sessions.b.compare()).toBe('behind')
    expect(await sessions.a.compare()).toBe('behind')
    const missing = { filesPending: 0, filesPendingCount: 0, filesMissing: 1, filesMissingBytes: content.length }
    expect(sessions.b.status()).toMatchObject({ ...missing, filesPendingThere: 0, filesMissingThere: 1 })
    expect(sessions.a.status()).toMatchObject(missing)
    a.files.set(digest, content)
    a.wanted.clear()
    a.countWanted(digest, content.length, false)
    await Promise.all([waitForState(sessions.a, 'in-sync'), waitForState(sessions.b, 'in-sync')])
    expect(Buffer.compare(b.files.get(digest) ?? Buffer.alloc(0), content)).toBe(0)
    expect(sessions.b.status()).toMatchObject({ filesPending: 0, filesMissing: 0 })
    await sessions.end()
  })

  it('keep both behind until the last of many has arrived', async () => {
    const [a, b] = [new FakeAccount('a'), new FakeAccount('b')]
    const contents = Array.from({ length: 300 }, () => randomBytes(300_000 + 1))
    for (const [n, bytes] of contents.entries()) {
      const name = hash('sha256', bytes)
      a.files.set(name, bytes)
      b.want(name, bytes.length)
      if (n % 2 === 0) a.write('event', `e${n}`, 'x')
    }
    const sessions = await openSessions(a, b)
    const early: number[] = []
    const note = (): void => {
      if ([sessions.a, sessions.b].some((side) => side.status().state === 'in-sync')) early.push(b.wanted.size)
    }
    const leave = [sessions.a.onStatus(note), sessions.b.onStatus(note)]
    note()
    expect(sessions.b.status().filesPendingCount).toBeGreaterThan(200)
    expect(await Promise.all([sessions.a.compare(), sessions.b.compare()])).toEqual(['in-sync', 'in-sync'])
    for (const each of leave) each()
    expect(early.filter((left) => left > 0)).toEqual([])
    expect(b.files.size).toBe(contents.length)
    await sessions.end()
  })
})

describe('shares', () => {
  const share = (direction: Direction, grantor: 'us' | 'them'): Scope => ({ is: 'share', streams: ['s'], direction, grantor })
  const unshared = new Set<string>()
  const within = (item: ItemRef): boolean => item.id.startsWith('in') && !unshared.has(item.id)

  function two(): [FakeAccount, FakeAccount] {
    unshared.clear()
    const [a, b] = [new FakeAccount('a'), new FakeAccount('b')]
    a.inScope = within
    b.inScope = (item) => item.id.startsWith('in')
    a.write('stream', 'in', 'one')
    for (let i = 0; i < 5; i++) a.write('event', `in${i}`, 'one')
    a.write('event', 'private', 'one')
    b.write('event', 'own', 'one')
    return [a, b]
  }

  it('send items within them, and no others, both ways', async () => {
    const [a, b] = two()
    const sessions = await openSessions(a, b, { scopes: [share('both', 'us'), share('both', 'them')] })
    await inSync(sessions)
    a.write('event', 'in1', 'two<one')
    a.write('event', 'in9', 'one')
    b.write('event', 'inb', 'one')
    a.write('event', 'private', 'two<one')
    await pause(60)
    await inSync(sessions)
    expect(Object.keys(b.shown()).sort()).toEqual(['ein0', 'ein1', 'ein2', 'ein3', 'ein4', 'ein9', 'einb', 'eown', 'sin'])
    expect(Object.keys(a.shown())).toContain('einb')
    expect(Object.keys(a.shown())).not.toContain('eown')
    await sessions.end()
    const again = await openSessions(a, b, { scopes: [share('both', 'us'), share('both', 'them')] })
    await pause(50)
    expect(again.a.status()).toMatchObject({ state: 'in-sync', sent: 0 })
    await again.end()
  })

  it('send one way only where agreed', async () => {
    const [a, b] = two()
    const sessions = await openSessions(a, b, { scopes: [share('send', 'us'), share('receive', 'them')] })
    await inSync(sessions)
    b.write('event', 'inb', 'one')
    b.write('event', 'in0', 'of b<one')
    await pause(60)
    expect(a.shown()).not.toHaveProperty('einb')
    expect(a.items.get('ein0')?.changes.size).toBe(1)
    expect(await sessions.a.compare()).toBe('in-sync')
    await sessions.end()
  })

  it('refuse items against the direction', async () => {
    const [a, b] = two()
    b.write('event', 'inb', 'one')
    // The other node does not respect the agreement.
    const hostile = b.replica(1, share('receive', 'them'))
    const { plainChannels } = await import('../../support/sync/wires.js')
    const { runProtocol: runSession } = await import('../../../src/sync/session/protocol.js')
    const { quiet } = await import('./sessionPair.js')
    const { ends } = plainChannels(['a', 'b'])
    const common = { now: () => 1, log: quiet, maxSkew: 300 }
    const sa = await runSession({ ...common, channel: ends[0], replica: a.replica(1, share('send', 'us')) })
    const sb = await runSession({ ...common, channel: ends[1], replica: hostile })
    Object.assign(hostile, { scope: share('both', 'them') })
    await pause(150)
    expect(a.shown()).not.toHaveProperty('einb')
    expect(sa.status().refused).toBeGreaterThan(0)
    await sa.close('closed', '')
    await sb.ended
  })

  it('withdraw items that leave them, live and after a disconnection', async () => {
    const [a, b] = two()
    const scopes: [Scope, Scope] = [share('both', 'us'), share('both', 'them')]
    const sessions = await openSessions(a, b, { scopes })
    await inSync(sessions)
    unshared.add('in1')
    a.write('event', 'in1', 'moved<one')
    await pause(60)
    await inSync(sessions)
    expect(b.shown()).not.toHaveProperty('ein1')
    expect(a.shown()).toHaveProperty('ein1')
    await sessions.end()
    unshared.add('in2')
    const again = await openSessions(a, b, { scopes })
    await pause(100)
    await inSync(again)
    expect(b.shown()).not.toHaveProperty('ein2')
    expect(a.noted.has('ein2')).toBe(false)
    unshared.delete('in2')
    a.write('event', 'in2', 'back<one')
    await pause(60)
    await inSync(again)
    expect(b.items.get('ein2')?.changes).toEqual(new Set(['one', 'back<one']))
    await again.end()
  })

  it('send streams that enter them before the event that moved there, in groups of the usual size', async () => {
    const [a, b] = two()
    const sizes: number[] = []
    const replica = b.replica.bind(b)
    b.replica = (peer, scope) => {
      const held = replica(peer, scope)
      return { ...held, merge: (entries, notes) => (sizes.push(entries.length), held.merge(entries, notes)) }
    }
    const streams = Array.from({ length: 1200 }, (_, i) => `inner${i}`)
    for (const id of streams) {
      unshared.add(id)
      a.write('stream', id, 'one')
    }
    const sessions = await openSessions(a, b, { scopes: [share('both', 'us'), share('both', 'them')] })
    await inSync(sessions)
    expect(b.items.has('sinner0')).toBe(false)
    // One stream moved with its descendants, which are not in the feed.
    unshared.clear()
    a.write('stream', 'in', 'moved<one')
    a.write('event', 'in1', 'two<one')
    await inSync(sessions)
    const arrivals = b.journal.map(({ kind, id }) => `${kind} ${id}`)
    expect(arrivals.filter((name) => name.startsWith('stream inner'))).toEqual(streams.map((id) => `stream ${id}`))
    expect(arrivals.lastIndexOf('event in1')).toBeGreaterThan(arrivals.indexOf('stream inner1199'))
    expect(Math.max(...sizes)).toBeLessThanOrEqual(500)
    await sessions.end()
  })

  it('exclude items created in them while the granting side withdrew them', async () => {
    const [a, b] = two()
    const scopes: [Scope, Scope] = [share('both', 'us'), share('both', 'them')]
    // It was shared, and is in no shared stream now; the other side never received it.
    b.write('event', 'left', 'one')
    b.noted.add('eleft')
    const sessions = await openSessions(a, b, { scopes })
    await inSync(sessions)
    expect(b.noted.has('eleft')).toBe(false)
    expect(b.items.has('eleft')).toBe(true)
    expect(a.shown()).not.toHaveProperty('eleft')
    await sessions.end()
  })

  it('never reveal items outside of them', async () => {
    const [a] = two()
    const { mayHave } = await import('../../../src/sync/session/itemReader.js')
    const replica = a.replica(1, share('send', 'us'))
    expect(mayHave(replica, { kind: 'event', id: 'private' })).toBe(false)
    expect(mayHave(replica, { kind: 'event', id: 'in1' })).toBe(true)
    expect(mayHave(a.replica(1, share('receive', 'us')), { kind: 'event', id: 'in1' })).toBe(false)
    expect(mayHave(a.replica(1), { kind: 'event', id: ':_system:email' })).toBe(false)
  })
})

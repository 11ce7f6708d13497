/** What goes along with items, or is kept from going: points, files, shares. */
import { hash, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { ItemRef } from '../../../src/sync/wire/entry.js'
import type { Direction, Scope } from '../../../src/store/replication/peers.js'
import { FakeAccount } from './fakeAccount.js'
import { inSync, meet, shows, type Meeting } from './meet.js'

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

describe('series', () => {
  it('are caught up with from where each side is, and go on live without a question', async () => {
    const [a, b] = [new FakeAccount('a'), new FakeAccount('b')]
    a.points('h', 'p', 10)
    a.points('h', 'p', 20)
    b.points('h', 'q', 15)
    const requests: number[] = []
    const meeting = await meet(a, b, {
      tap(frame, from) {
        if (frame[1] === 4) requests.push(from)
        return [frame]
      },
    })
    await inSync(meeting)
    expect(a.shown()).toEqual(b.shown())
    expect([...(b.items.get('mh')?.reaches ?? [])].sort()).toEqual([['p', 20], ['q', 15]])
    // The first write that finds no reach of the other side known is offered.
    a.points('h', 'p', 21)
    await inSync(meeting)
    const asked = requests.length
    for (let time = 22; time < 60; time++) {
      a.points('h', 'p', time)
      if (time % 9 === 0) await pause(2)
    }
    await inSync(meeting)
    expect(a.shown()).toEqual(b.shown())
    expect(requests.length - asked).toBe(0)
    expect(b.outcomes.incomplete).toBe(0)
    await meeting.end()
  })
})

describe('an event that is asked for', () => {
  it('goes after the stream that it lies in by now, although the feed has not come to that', async () => {
    const [a, b] = [new FakeAccount('a'), new FakeAccount('b')]
    a.write('event', 'moved', 'one')
    for (let n = 0; n < 1500; n++) a.write('event', `other${n}`, 'one')
    a.write('stream', 'new', 'one')
    a.write('event', 'moved', 'two<one')
    a.places.set('moved', ['new'])
    b.pendingFetch.set(1, new Map([['emoved', { kind: 'event', id: 'moved' }]]))
    const meeting = await meet(a, b)
    await inSync(meeting)
    const came = b.journal.map(({ kind, id }) => `${kind} ${id}`)
    expect(came.indexOf('event moved')).toBe(came.indexOf('stream new') + 1)
    // It did come before the rest of the feed.
    expect(came.indexOf('event moved')).toBeLessThan(1500)
    await meeting.end()
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

  it('follow their events, from where an earlier session left them', async () => {
    const [a, b] = withFile()
    let parts = 0
    const first: Meeting = await meet(a, b, {
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
    const second = await meet(a, b)
    await inSync(second)
    expect(b.begun).toEqual([0, had])
    expect(Buffer.compare(b.files.get(digest) ?? Buffer.alloc(0), content)).toBe(0)
    expect(second.b.status().filesPending).toBe(0)
    await second.end()
  })

  it('that are damaged are not taken', async () => {
    const [a, b] = withFile()
    a.files.set(digest, randomBytes(300_000))
    const meeting = await meet(a, b)
    await pause(200)
    expect(b.files.size).toBe(0)
    await meeting.end()
  })

  it('that the peer lacks leave both behind, count as missing, and come once it has them', async () => {
    const [a, b] = withFile()
    a.files.clear()
    a.want(digest, content.length)
    const meeting = await meet(a, b)
    expect(await meeting.b.compare()).toBe('behind')
    expect(await meeting.a.compare()).toBe('behind')
    const missing = { filesPending: 0, filesPendingCount: 0, filesMissing: 1, filesMissingBytes: content.length }
    expect(meeting.b.status()).toMatchObject({ ...missing, filesPendingThere: 0, filesMissingThere: 1 })
    expect(meeting.a.status()).toMatchObject(missing)
    a.files.set(digest, content)
    a.wanted.clear()
    a.countWanted(digest, content.length, false)
    await Promise.all([shows(meeting.a, 'in-sync'), shows(meeting.b, 'in-sync')])
    expect(Buffer.compare(b.files.get(digest) ?? Buffer.alloc(0), content)).toBe(0)
    expect(meeting.b.status()).toMatchObject({ filesPending: 0, filesMissing: 0 })
    await meeting.end()
  })

  it('keep both from being in sync until the last of many has come', async () => {
    const [a, b] = [new FakeAccount('a'), new FakeAccount('b')]
    const contents = Array.from({ length: 300 }, () => randomBytes(300_000 + 1))
    for (const [n, bytes] of contents.entries()) {
      const name = hash('sha256', bytes)
      a.files.set(name, bytes)
      b.want(name, bytes.length)
      if (n % 2 === 0) a.write('event', `e${n}`, 'x')
    }
    const meeting = await meet(a, b)
    const early: number[] = []
    const note = (): void => {
      if ([meeting.a, meeting.b].some((side) => side.status().state === 'in-sync')) early.push(b.wanted.size)
    }
    const leave = [meeting.a.onStatus(note), meeting.b.onStatus(note)]
    note()
    expect(meeting.b.status().filesPendingCount).toBeGreaterThan(200)
    expect(await Promise.all([meeting.a.compare(), meeting.b.compare()])).toEqual(['in-sync', 'in-sync'])
    for (const each of leave) each()
    expect(early.filter((left) => left > 0)).toEqual([])
    expect(b.files.size).toBe(contents.length)
    await meeting.end()
  })
})

describe('shares', () => {
  const share = (direction: Direction, grantor: 'us' | 'them'): Scope => ({ is: 'share', streams: ['s'], direction, grantor })
  const mine = new Set<string>()
  const within = (item: ItemRef): boolean => item.id.startsWith('in') && !mine.has(item.id)

  function two(): [FakeAccount, FakeAccount] {
    mine.clear()
    const [a, b] = [new FakeAccount('a'), new FakeAccount('b')]
    a.inScope = within
    b.inScope = (item) => item.id.startsWith('in')
    a.write('stream', 'in', 'one')
    for (let i = 0; i < 5; i++) a.write('event', `in${i}`, 'one')
    a.write('event', 'private', 'one')
    b.write('event', 'own', 'one')
    return [a, b]
  }

  it('give what is within them, and nothing else, both ways', async () => {
    const [a, b] = two()
    const meeting = await meet(a, b, { scopes: [share('both', 'us'), share('both', 'them')] })
    await inSync(meeting)
    a.write('event', 'in1', 'two<one')
    a.write('event', 'in9', 'one')
    b.write('event', 'inb', 'one')
    a.write('event', 'private', 'two<one')
    await pause(60)
    await inSync(meeting)
    expect(Object.keys(b.shown()).sort()).toEqual(['ein0', 'ein1', 'ein2', 'ein3', 'ein4', 'ein9', 'einb', 'eown', 'sin'])
    expect(Object.keys(a.shown())).toContain('einb')
    expect(Object.keys(a.shown())).not.toContain('eown')
    await meeting.end()
    const again = await meet(a, b, { scopes: [share('both', 'us'), share('both', 'them')] })
    await pause(50)
    expect(again.a.status()).toMatchObject({ state: 'in-sync', sent: 0 })
    await again.end()
  })

  it('go one way only where that was agreed', async () => {
    const [a, b] = two()
    const meeting = await meet(a, b, { scopes: [share('send', 'us'), share('receive', 'them')] })
    await inSync(meeting)
    b.write('event', 'inb', 'one')
    b.write('event', 'in0', 'of b<one')
    await pause(60)
    expect(a.shown()).not.toHaveProperty('einb')
    expect(a.items.get('ein0')?.changes.size).toBe(1)
    expect(await meeting.a.compare()).toBe('in-sync')
    await meeting.end()
  })

  it('refuse what comes against the direction', async () => {
    const [a, b] = two()
    b.write('event', 'inb', 'one')
    // The other node does not keep to what was agreed.
    const dishonest = b.replica(1, share('receive', 'them'))
    const { plainChannels } = await import('../../support/sync/wires.js')
    const { runProtocol: converse } = await import('../../../src/sync/session/protocol.js')
    const { quiet } = await import('./meet.js')
    const { ends } = plainChannels(['a', 'b'])
    const common = { now: () => 1, log: quiet, maxSkew: 300 }
    const sa = await converse({ ...common, channel: ends[0], replica: a.replica(1, share('send', 'us')) })
    const sb = await converse({ ...common, channel: ends[1], replica: dishonest })
    Object.assign(dishonest, { scope: share('both', 'them') })
    await pause(150)
    expect(a.shown()).not.toHaveProperty('einb')
    expect(sa.status().refused).toBeGreaterThan(0)
    await sa.close('closed', '')
    await sb.ended
  })

  it('take back what leaves them, live and after a while apart', async () => {
    const [a, b] = two()
    const scopes: [Scope, Scope] = [share('both', 'us'), share('both', 'them')]
    const meeting = await meet(a, b, { scopes })
    await inSync(meeting)
    mine.add('in1')
    a.write('event', 'in1', 'moved<one')
    await pause(60)
    await inSync(meeting)
    expect(b.shown()).not.toHaveProperty('ein1')
    expect(a.shown()).toHaveProperty('ein1')
    await meeting.end()
    mine.add('in2')
    const again = await meet(a, b, { scopes })
    await pause(100)
    await inSync(again)
    expect(b.shown()).not.toHaveProperty('ein2')
    expect(a.noted.has('ein2')).toBe(false)
    mine.delete('in2')
    a.write('event', 'in2', 'back<one')
    await pause(60)
    await inSync(again)
    expect(b.items.get('ein2')?.changes).toEqual(new Set(['one', 'back<one']))
    await again.end()
  })

  it('give the streams that came into them before the event that moved there, no more at once than anything else', async () => {
    const [a, b] = two()
    const sizes: number[] = []
    const replica = b.replica.bind(b)
    b.replica = (peer, scope) => {
      const held = replica(peer, scope)
      return { ...held, merge: (entries, notes) => (sizes.push(entries.length), held.merge(entries, notes)) }
    }
    const streams = Array.from({ length: 1200 }, (_, i) => `inner${i}`)
    for (const id of streams) {
      mine.add(id)
      a.write('stream', id, 'one')
    }
    const meeting = await meet(a, b, { scopes: [share('both', 'us'), share('both', 'them')] })
    await inSync(meeting)
    expect(b.items.has('sinner0')).toBe(false)
    // One stream moved, and brings the others, of which the feed says nothing.
    mine.clear()
    a.write('stream', 'in', 'moved<one')
    a.write('event', 'in1', 'two<one')
    await inSync(meeting)
    const came = b.journal.map(({ kind, id }) => `${kind} ${id}`)
    expect(came.filter((name) => name.startsWith('stream inner'))).toEqual(streams.map((id) => `stream ${id}`))
    expect(came.lastIndexOf('event in1')).toBeGreaterThan(came.indexOf('stream inner1199'))
    expect(Math.max(...sizes)).toBeLessThanOrEqual(500)
    await meeting.end()
  })

  it('are left by what was made in them while the side that grants them took them away', async () => {
    const [a, b] = two()
    const scopes: [Scope, Scope] = [share('both', 'us'), share('both', 'them')]
    // It was shared, and lies in nothing that is by now; the other side never took it.
    b.write('event', 'left', 'one')
    b.noted.add('eleft')
    const meeting = await meet(a, b, { scopes })
    await inSync(meeting)
    expect(b.noted.has('eleft')).toBe(false)
    expect(b.items.has('eleft')).toBe(true)
    expect(a.shown()).not.toHaveProperty('eleft')
    await meeting.end()
  })

  it('never answer for what is outside of them', async () => {
    const [a] = two()
    const { mayHave } = await import('../../../src/sync/session/itemReader.js')
    const replica = a.replica(1, share('send', 'us'))
    expect(mayHave(replica, { kind: 'event', id: 'private' })).toBe(false)
    expect(mayHave(replica, { kind: 'event', id: 'in1' })).toBe(true)
    expect(mayHave(a.replica(1, share('receive', 'us')), { kind: 'event', id: 'in1' })).toBe(false)
    expect(mayHave(a.replica(1), { kind: 'event', id: ':_system:email' })).toBe(false)
  })
})

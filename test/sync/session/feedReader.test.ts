/** Feed reader: sends few changes at once, and batches many. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Replica } from '../../../src/sync/session/replica.js'
import { createFeedReader, type FeedReader } from '../../../src/sync/session/feedReader.js'
import type { ShareKeeper } from '../../../src/sync/session/shareKeeper.js'
import type { FeedEntry } from '../../../src/sync/wire/itemSet.js'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

/** Returns a reader of a feed, and a function that appends to the feed. */
function feedOf(): { reader: FeedReader; write(count: number): void } {
  const written: FeedEntry[] = []
  const replica = {
    scope: { is: 'mirror' },
    peer: 1,
    feed: { behind: (after: number) => written.length - after, staged: () => 0 },
    latestOf: (event: string) => Number(event),
  } as unknown as Replica
  const share = { sort: (feed) => ({ feed, whole: [], rescan: false, moved: false, withdrawn: [] }) } as Partial<ShareKeeper> as ShareKeeper
  const tail = {
    after: (sequence: number) => ({ entries: written.slice(sequence), upTo: written.length }),
    stop: () => {},
  }
  const reader = createFeedReader({ replica, tail, share, from: 0, wholeUpTo: 0, queueItems: () => {} })
  const write = (count: number): void => {
    for (let n = 0; n < count; n++) {
      const sequence = written.length + 1
      written.push({ sequence, kind: 'event', action: 'create', id: String(sequence), change: new Uint8Array(9) })
    }
  }
  return { reader, write }
}

describe('the feed', () => {
  it('has no delay without writes', () => {
    expect(feedOf().reader.delay()).toBe(0)
  })

  it('sends the first change at once, and the next after a short delay', async () => {
    const { reader, write } = feedOf()
    write(1)
    expect(reader.delay()).toBe(0)
    expect((await reader.next())?.entries).toHaveLength(1)
    expect(reader.delay()).toBe(0)
    write(1)
    expect(reader.delay()).toBe(1)
    vi.advanceTimersByTime(1)
    expect(reader.delay()).toBe(0)
  })

  it.each([
    [40, 40],
    [100, 100],
    [400, 100],
  ])('delays after %i changes for %i milliseconds', async (count, milliseconds) => {
    const { reader, write } = feedOf()
    write(count)
    expect((await reader.next())?.entries).toHaveLength(count)
    write(1)
    expect(reader.delay()).toBe(milliseconds)
    vi.advanceTimersByTime(milliseconds)
    expect(reader.delay()).toBe(0)
  })

  it('does not delay a full group', async () => {
    const { reader, write } = feedOf()
    write(1100)
    expect((await reader.next())?.entries).toHaveLength(500)
    expect(reader.delay()).toBe(0)
    await reader.next()
    await reader.next()
    write(499)
    expect(reader.delay()).toBe(100)
    write(1)
    expect(reader.delay()).toBe(0)
  })
})

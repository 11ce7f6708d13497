/** Groups of entries: complete, in order, and cut so that a change affects few groups. */
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { entriesIn, groupsOf, total, type EntryGroup } from '../../../src/store/backup/entries.js'
import type { Pages } from '../../../src/store/engine/database.js'

type Entry = [string, Uint8Array]

function pagesOf(entries: Entry[]): Pages<Entry> {
  let at = 0
  return {
    next: (size) => Promise.resolve(entries.slice(at, (at += size))),
    close: () => Promise.resolve(),
  }
}

async function grouped(entries: Entry[]): Promise<EntryGroup[]> {
  const groups = []
  for await (const group of groupsOf(pagesOf(entries))) groups.push(group)
  return groups
}

const digests = (groups: EntryGroup[]): string[] => groups.map(({ bytes }) => createHash('sha256').update(bytes).digest('hex'))
const many = (count: number, value: (n: number) => string): Entry[] =>
  Array.from({ length: count }, (_, n) => [`3/e/${String(n).padStart(9, '0')}`, Buffer.from(value(n))])

describe('groups of entries', () => {
  it('hold every entry as it is, in order', async () => {
    const entry = fc.tuple(fc.string({ unit: 'grapheme', minLength: 1 }), fc.uint8Array({ maxLength: 300 }))
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { maxLength: 60 }), async (entries) => {
        const read = (await grouped(entries)).flatMap(({ bytes }) => [...entriesIn(bytes)])
        expect(read.map(([key, value]) => [key, Buffer.from(value).toString('hex')])).toEqual(
          entries.map(([key, value]) => [Buffer.from(key).toString('utf8'), Buffer.from(value).toString('hex')]),
        )
      }),
      { numRuns: 100 },
    )
  })

  it('are unchanged except for the one that contains a change', async () => {
    const value = (n: number): string => `an event of moderate length with the number ${n}`.repeat(4)
    const before = await grouped(many(30_000, value))
    expect(before.length).toBeGreaterThan(10)
    const known = new Set(digests(before))
    const changed = many(30_000, (n) => (n === 15_000 ? 'another one' : value(n)))
    expect(digests(await grouped(changed)).filter((each) => !known.has(each))).toHaveLength(1)
    const inserted: Entry[] = [...many(15_000, value), ['3/e/0000149995', Buffer.from('a new one')], ...many(30_000, value).slice(15_000)]
    expect(digests(await grouped(inserted)).filter((each) => !known.has(each)).length).toBeLessThanOrEqual(2)
    const longer = many(30_100, value)
    expect(digests(await grouped(longer)).filter((each) => !known.has(each)).length).toBeLessThanOrEqual(2)
  })

  it('are never much longer than a megabyte', async () => {
    for (const { bytes } of await grouped(many(4000, () => 'x'.repeat(1000)))) expect(bytes.length).toBeLessThan(1_100_000)
  })

  it('are refused when their lengths are invalid', () => {
    const bytes = Buffer.alloc(9)
    bytes.writeUInt32LE(0xffffffff, 0)
    expect(() => [...entriesIn(bytes)]).toThrow(RangeError)
    expect(() => [...entriesIn(Buffer.alloc(5))]).toThrow(RangeError)
  })
})

describe('counts of records', () => {
  it('include the keys of accounts alone', async () => {
    const keys = ['!n/ana', '!k/1', '0/R/app/1', '3/u', '3/t/diary', '3/e/1', '3/e/2', '3/a/x', '3/E/e/f', '3/s/diary/1']
    const counts = total((await grouped(keys.map((key) => [key, Buffer.from('')]))).map((group) => group.counts))
    expect(counts).toMatchObject({ entries: 10, users: 1, streams: 1, events: 2, accesses: 1, attachments: 1, series: 0, webhooks: 0 })
  })
})

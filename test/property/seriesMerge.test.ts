/** One series written on several nodes, its points exchanged in any order, in part and repeatedly: all nodes converge. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkStore } from '../../src/store/check/index.js'
import { readJournal } from '../../src/store/engine/journal.js'
import { addEvent } from '../../src/store/events/events.js'
import { zeroDigest, seriesVersionElement, xorInto } from '../../src/store/model/digestElement.js'
import type { SeriesFields } from '../../src/store/model/eventTypes/series.js'
import { MERGE_LIMITS, mergeStep, type MergeLimits } from '../../src/store/series/mergeSegments.js'
import { seriesVersions } from '../../src/store/series/versionVector.js'
import { removePoints, writePoints } from '../../src/store/series/series.js'
import { piecesSince, SINCE_LIMITS, type SinceLimits } from '../../src/store/series/pointsSince.js'
import { createRecorder } from '../../src/sync/crdt/document.js'
import type { Outcome, SeriesEntry } from '../../src/sync/wire/entry.js'
import { pointsSince } from '../../src/sync/digest/readItem.js'
import { mergeSeries } from '../../src/sync/merge/series.js'
import { standaloneAccount, pointsOf, readRows, type StandaloneAccount, type Row } from '../store/series/support.js'

const NODES = 3
const LIMITS: MergeLimits = { fanIn: 2, overlapped: 2, points: 8, sizes: { points: 4, cells: 64, text: 40 } }
/** So small that a few points are many pieces, read in many windows. */
const TINY: SinceLimits = { piece: 100, cells: 8, window: 200 }

const field = { isWhole: false, isRequired: false, takesNull: true }
const FIELDS: SeriesFields = new Map([
  ['value', { ...field, kind: 'number' }],
  ['unit', { ...field, kind: 'string' }],
])
const fieldsOf = (type: string): SeriesFields | undefined => (type === 'series:mass/kg' ? FIELDS : undefined)

async function addHolder(copy: StandaloneAccount, id: string): Promise<void> {
  const recorder = createRecorder({ actor: '00'.repeat(16) })
  const tracking = { created: 1, createdBy: 'p', modified: 1, modifiedBy: 'p' }
  await copy.account.write((t) =>
    addEvent(t, recorder, { id, streamIds: ['a'], type: 'series:mass/kg', time: 1, tags: [], ...tracking }),
  )
}

const merge = (copy: StandaloneAccount, entry: SeriesEntry): Promise<Outcome> =>
  copy.account.write((t) => mergeSeries(t, entry, { peer: 3, scope: { is: 'mirror' } }, fieldsOf))

async function piecesFor(
  from: StandaloneAccount,
  event: string,
  versions: ReadonlyMap<string, number>,
  limits: SinceLimits,
): Promise<SeriesEntry[]> {
  const entries: SeriesEntry[] = []
  for await (const piece of piecesSince(from.account, event, versions, limits)) entries.push({ kind: 'series', id: event, ...piece })
  return entries
}

const row: fc.Arbitrary<Row> = fc.record(
  { value: fc.double({ noNaN: true, noDefaultInfinity: true }), unit: fc.string({ maxLength: 5 }) },
  { requiredKeys: ['value'] },
)
const rows = fc.array(fc.tuple(fc.nat({ max: 12 }), row), { minLength: 1, maxLength: 8 })
const node = fc.nat({ max: NODES - 1 })
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('write' as const), node, rows, at: fc.nat({ max: 5 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('tidy' as const), node }) },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('send' as const), node, to: node, most: fc.nat({ max: 4 }), old: fc.boolean(), tiny: fc.boolean() }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

describe('a series written on several nodes', () => {
  let copies: StandaloneAccount[]
  let count = 0
  beforeAll(async () => {
    copies = await Promise.all(Array.from({ length: NODES }, standaloneAccount))
  })
  afterAll(async () => {
    for (const { opened } of copies) {
      const { problems } = await checkStore(opened.db, { head: opened.committer.head })
      expect(problems.filter(({ where }) => /series/.test(where))).toEqual([])
    }
    await Promise.all(copies.map((copy) => copy.close()))
  })

  it('converges to the same points and version vectors on all nodes', { timeout: 300_000 }, async () => {
    const run = async (steps: Step[]): Promise<void> => {
      const event = `event${(count += 1)}`
      const firstSequence = copies.map(({ account }) => account.sequence + 1)
      for (const copy of copies) await addHolder(copy, event)
      const send = async (from: number, to: number, limits: SinceLimits, most = Infinity, old = false): Promise<void> => {
        const copy = copies[to] as StandaloneAccount
        const known = seriesVersions(copy.account.db, '1', event)
        // A peer that lost its version vector is sent known points, which changes nothing.
        const versions = old ? new Map([...known].map(([actor, time]) => [actor, Math.max(0, time - 3)])) : known
        const entries = await piecesFor(copies[from] as StandaloneAccount, event, versions, limits)
        for (const entry of entries.slice(0, most)) {
          expect(['applied', 'known']).toContain((await merge(copy, entry)).is)
        }
      }
      for (const one of steps) {
        const { account } = copies[one.node] as StandaloneAccount
        if (one.kind === 'write') await account.write((t) => writePoints(t, event, pointsOf(one.rows), one.at / 1e6))
        else if (one.kind === 'tidy') await mergeStep(account, event, LIMITS)
        else if (one.to !== one.node) await send(one.node, one.to, one.tiny ? TINY : SINCE_LIMITS, one.most, one.old)
      }
      for (let round = 0; round < 2; round++) {
        for (let from = 0; from < NODES; from++) {
          for (let to = 0; to < NODES; to++) if (from !== to) await send(from, to, round === 0 ? TINY : SINCE_LIMITS)
        }
      }
      const [first] = copies as [StandaloneAccount]
      const expected = await readRows(first.account, event)
      const versions = seriesVersions(first.account.db, '1', event)
      for (const [i, { account }] of copies.entries()) {
        expect(await readRows(account, event)).toEqual(expected)
        expect(new Map([...seriesVersions(account.db, '1', event)].sort())).toEqual(new Map([...versions].sort()))
        const replayed = zeroDigest()
        for await (const { kind, id, change } of readJournal(account.db, '1', firstSequence[i])) {
          if (kind === 'series' && id === event) xorInto(replayed, change)
        }
        const made = zeroDigest()
        for (const [actor, time] of versions) xorInto(made, seriesVersionElement(`m${event}`, actor, time))
        expect(replayed).toEqual(made)
        while (await mergeStep(account, event, LIMITS));
        expect(await readRows(account, event)).toEqual(expected)
      }
    }
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 30 }), run), {
      numRuns: process.env['LONG'] === '1' ? 1000 : 10,
    })
  })

  it('is sent in pieces with all writes of an actor between two stamps, and no point twice', async () => {
    const event = `event${(count += 1)}`
    const [from, to] = copies as [StandaloneAccount, StandaloneAccount]
    for (const copy of [from, to]) await addHolder(copy, event)
    // A regular series, long enough for several windows, then a part of it once more.
    for (let at = 0; at < 16; at++) {
      const some = Array.from({ length: 5000 }, (_, i): [number, Row] => [at * 5000 + i, { value: Math.sin(i) * at }])
      await from.account.write((t) => writePoints(t, event, pointsOf(some), 1000 + at))
    }
    const again = Array.from({ length: 3000 }, (_, i): [number, Row] => [i * 25, { value: i }])
    await from.account.write((t) => writePoints(t, event, pointsOf(again), 2000))
    while (await mergeStep(from.account, event, MERGE_LIMITS));
    const entries = await piecesFor(from, event, new Map(), SINCE_LIMITS)
    expect(entries.length).toBeGreaterThan(5)
    let last = 0
    for (const entry of entries) {
      expect(entry.after).toBe(last)
      last = entry.upTo
      expect(entry.segments.reduce((sum, { length }) => sum + length, 0)).toBeLessThan(256 * 1024)
      expect(await merge(to, entry)).toEqual({ is: 'applied' })
    }
    expect(await readRows(to.account, event)).toEqual(await readRows(from.account, event))
    expect(await pointsSince(from.account, event, seriesVersions(to.account.db, '1', event))).toEqual([])
    // Only the latest writes are sent now.
    await from.account.write((t) => writePoints(t, event, pointsOf([[7, { value: 7 }]]), 3000))
    const [next, none] = await pointsSince(from.account, event, seriesVersions(to.account.db, '1', event))
    expect(none).toBeUndefined()
    expect(next?.after).toBe(last)
    expect(next?.segments).toHaveLength(1)
  })

  it('is refused if unknown or damaged, and waits for earlier points', async () => {
    const event = `event${(count += 1)}`
    const [from, to] = copies as [StandaloneAccount, StandaloneAccount]
    await addHolder(from, event)
    for (const at of [1, 2, 3]) {
      await from.account.write((t) => writePoints(t, event, pointsOf([[at, { value: at }]]), at))
    }
    const [whole] = (await piecesFor(from, event, new Map(), SINCE_LIMITS)) as [SeriesEntry]
    expect(await merge(to, whole)).toEqual({ is: 'incomplete' })
    await addHolder(to, event)
    const before = to.account.sequence
    const refusal = (reason: string): unknown => expect.objectContaining({ is: 'refused', reason })
    const [segment] = whole.segments as [Uint8Array]
    const changed = segment.map((byte, i) => (i === 9 ? byte ^ 1 : byte))
    const bad: [SeriesEntry, string][] = [
      [{ ...whole, segments: [changed] }, 'damaged'],
      [{ ...whole, actor: 'somebody' }, 'damaged'],
      [{ ...whole, actor: 'a/b' }, 'damaged'],
      [{ ...whole, upTo: 2e6 }, 'damaged'],
      [{ ...whole, after: 1e6 }, 'damaged'],
      [{ ...whole, after: whole.upTo }, 'damaged'],
      [{ ...whole, upTo: 2 ** 53 }, 'damaged'],
    ]
    for (const [entry, reason] of bad) expect(await merge(to, entry)).toEqual(refusal(reason))
    const [, behind] = (await piecesFor(from, event, new Map(), TINY)) as [SeriesEntry, SeriesEntry]
    expect(await merge(to, behind)).toEqual({ is: 'incomplete' })
    expect(to.account.sequence).toBe(before)
    await from.account.write((t) => writePoints(t, event, pointsOf([[4, { weight: 1 }]]), 9))
    const [, other] = (await piecesFor(from, event, new Map(), { ...TINY, cells: 12 })) as [SeriesEntry, SeriesEntry]
    expect(await merge(to, { ...other, after: 0 })).toEqual(refusal('invalid'))
    expect(await merge(to, whole)).toEqual({ is: 'applied' })
    expect(await merge(to, whole)).toEqual({ is: 'known' })
    for (const { account } of [from, to]) await account.write((t) => removePoints(t, event))
    expect(seriesVersions(to.account.db, '1', event).size).toBe(0)
    const state = zeroDigest()
    for await (const { kind, id, change } of readJournal(to.account.db, '1')) {
      if (kind === 'series' && id === event) xorInto(state, change)
    }
    expect(state).toEqual(zeroDigest())
  })
})

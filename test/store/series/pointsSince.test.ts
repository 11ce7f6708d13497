/** Pieces of series for peers: the points that they lack, by actor and stamp. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accountKeys } from '../../../src/store/engine/keys.js'
import { MERGE_LIMITS, mergeStep } from '../../../src/store/series/mergeSegments.js'
import { piecesSince, SINCE_LIMITS, type SinceLimits } from '../../../src/store/series/pointsSince.js'
import { readPiece, receivePoints } from '../../../src/store/series/receivePoints.js'
import { decodeSegment, encodeSegment } from '../../../src/store/series/segment.js'
import { writePoints } from '../../../src/store/series/series.js'
import { seriesVersions } from '../../../src/store/series/versionVector.js'
import { standaloneAccount, pointsOf, rowsOf, type StandaloneAccount, type Row } from './support.js'

let standalone: StandaloneAccount
beforeAll(async () => {
  standalone = await standaloneAccount()
})
afterAll(() => standalone.close())

/** Returns pieces as `actor after-upTo: times`, with the times of the points. */
async function pieces(event: string, versions: ReadonlyMap<string, number>, limits: SinceLimits = SINCE_LIMITS): Promise<[actor: string, after: number, times: number[]][]> {
  const found: [string, number, number[]][] = []
  for await (const { actor, after, segments } of piecesSince(standalone.account, event, versions, limits)) {
    found.push([actor, after, segments.map(decodeSegment).flatMap((segment) => rowsOf(segment).map(([time]) => time))])
  }
  return found
}

describe('pieces of a series', () => {
  it('are those after the given versions, of each actor, without replaced points once segments are merged', async () => {
    const { account } = standalone
    const writes: [number, Row][][] = [[[0, { value: 1 }], [10, { value: 2 }]], [[10, { value: 3 }]], [[5, { value: 4 }]]]
    for (const [i, rows] of writes.entries()) await account.write((t) => writePoints(t, 'e1', pointsOf(rows), 100 + i))
    const foreign = encodeSegment({ ...pointsOf([[7, { value: 9 }]]), stamps: [{ time: 50, actor: 'other' }] })
    await account.write((t) => {
      const piece = readPiece({ actor: 'other', after: 0, upTo: 60, segments: [foreign] })
      if (piece !== undefined) receivePoints(t, 'e1', piece, 1)
    })
    const versions = seriesVersions(account.db, '1', 'e1')
    const [own = ''] = versions.keys()
    expect([...versions]).toEqual([[own, 102e6], ['other', 60]])
    expect(await pieces('e1', new Map())).toEqual([[own, 0, [0, 5, 10]], ['other', 0, [7]]])
    expect(await pieces('e1', new Map([['other', 60]]))).toEqual([[own, 0, [0, 5, 10]]])
    expect(await pieces('e1', new Map([[own, 101e6], ['other', 10]]))).toEqual([[own, 101e6, [5]], ['other', 10, [7]]])
    expect(await pieces('e1', versions)).toEqual([])
    expect(await pieces('none', new Map())).toEqual([])
    while (await mergeStep(account, 'e1', { ...MERGE_LIMITS, fanIn: 2 }));
    expect(await pieces('e1', new Map([['other', 60]]))).toEqual([[own, 0, [0, 5, 10]]])
  })

  it('of small limits are consecutive without a gap', async () => {
    const { account } = standalone
    for (let i = 0; i < 20; i++) await account.write((t) => writePoints(t, 'e2', pointsOf([[i % 7, { value: i }]]), 200 + i))
    const batches = []
    for await (const batch of piecesSince(account, 'e2', new Map(), { piece: 1, cells: 4, window: 1 })) batches.push(batch)
    expect(batches.length).toBeGreaterThan(2)
    expect(batches.map(({ after }) => after)).toEqual([0, ...batches.slice(0, -1).map(({ upTo }) => upTo)])
    expect(batches.at(-1)?.upTo).toBe(219e6)
    const values = batches.flatMap(({ segments }) => segments.map(decodeSegment).flatMap(rowsOf))
    expect(new Set(values.map(([, { value }]) => value)).size).toBe(values.length)
    expect(values.map(([, { value }]) => Number(value)).sort((a, b) => a - b).slice(-7)).toEqual([13, 14, 15, 16, 17, 18, 19])
  })

  it('are empty, up to the version, where no points remain', async () => {
    const { account } = standalone
    await account.write((t) => {
      t.put(accountKeys.seriesActors('1', 'e3'), JSON.stringify(['gone']))
      t.put(accountKeys.seriesVersion('1', 'e3', 'gone'), '70')
    })
    expect(await pieces('e3', new Map())).toEqual([['gone', 0, []]])
  })
})

/** Points from peers, received in any order. */
import { describe, expect, it } from 'vitest'
import type { Account } from '../../../src/store/engine/account.js'
import { piecesSince, SINCE_LIMITS } from '../../../src/store/series/pointsSince.js'
import { readPiece, receivePoints, type PointsBatch } from '../../../src/store/series/receivePoints.js'
import { writePoints } from '../../../src/store/series/series.js'
import { seriesVersions } from '../../../src/store/series/versionVector.js'
import { repositories } from '../repository.js'
import { pointsOf, readRows, type Row } from './support.js'

/** A piece for each stamp. */
const SMALL = { piece: 1, cells: 1, window: 1 }

async function piecesOf(account: Account, versions: ReadonlyMap<string, number> = new Map(), limits = SMALL): Promise<PointsBatch[]> {
  const pieces = []
  for await (const piece of piecesSince(account, 'e1', versions, limits)) pieces.push(piece)
  return pieces
}

const receive = (account: Account, piece: PointsBatch): Promise<string> =>
  account.write((t) => {
    const read = readPiece(piece)
    return read === undefined ? 'too large' : receivePoints(t, 'e1', read, 1)
  })

describe('received points', () => {
  const all = repositories()

  async function written(): Promise<Account> {
    const account = await all.account()
    const writes: [number, Row][][] = [[[0, { value: 1 }], [10, { value: 2 }]], [[10, { value: 3 }]], [[5, { value: 4 }], [20, { value: 5 }]]]
    for (const [i, rows] of writes.entries()) await account.write((t) => writePoints(t, 'e1', pointsOf(rows), 100 + i))
    return account
  }

  it('merge to the same points and versions, in one piece or several', async () => {
    const source = await written()
    for (const limits of [SMALL, SINCE_LIMITS]) {
      const target = await all.account()
      const pieces = await piecesOf(source, new Map(), limits)
      for (const piece of pieces) expect(await receive(target, piece)).toBe('applied')
      expect(pieces.length).toBe(limits === SMALL ? 3 : 1)
      expect(await readRows(target, 'e1')).toEqual(await readRows(source, 'e1'))
      expect(seriesVersions(all.store.db, target.prefix, 'e1')).toEqual(seriesVersions(all.store.db, source.prefix, 'e1'))
      expect(await piecesOf(source, seriesVersions(all.store.db, target.prefix, 'e1'))).toEqual([])
      for (const piece of pieces) expect(await receive(target, piece)).toBe('known')
    }
  })

  it('continue from the local version, and are incomplete without earlier ones', async () => {
    const [source, target, other] = [await written(), await all.account(), await all.account()]
    const [first, second, third] = (await piecesOf(source)) as [PointsBatch, PointsBatch, PointsBatch]
    expect([await receive(target, second), await receive(target, first), await receive(target, third)]).toEqual(['incomplete', 'applied', 'incomplete'])
    expect(await readRows(target, 'e1')).toEqual([[0, { value: 1 }], [10, { value: 2 }]])
    const rest = await piecesOf(source, seriesVersions(all.store.db, target.prefix, 'e1'))
    expect(rest).toEqual([second, third])
    const [whole] = (await piecesOf(source, new Map(), SINCE_LIMITS)) as [PointsBatch]
    expect(await receive(target, whole)).toBe('applied')
    expect(await readRows(target, 'e1')).toEqual(await readRows(source, 'e1'))
    expect([await readRows(other, 'e1'), await piecesOf(other)]).toEqual([[], []])
  })

  it('are refused from another actor, or outside of their piece', async () => {
    const [first] = (await piecesOf(await written())) as [PointsBatch]
    const target = await all.account()
    const before = await all.keys()
    for (const patch of [{ actor: 'another' }, { after: 100_000_000 }, { upTo: 99_999_999 }, { segments: [Uint8Array.of(1, 2)] }]) {
      await expect(receive(target, { ...first, ...patch })).rejects.toThrow()
    }
    expect(await all.keys()).toEqual(before)
  })

  it('of equal time keep the one with the later stamp, in any order of arrival', async () => {
    const source = await written()
    for (const at of [50, 500]) {
      const target = await all.account()
      await target.write((t) => writePoints(t, 'e1', pointsOf([[10, { value: 9 }]]), at))
      // Both accounts are of one node: of the pieces, only later stamps are applied.
      for (const piece of await piecesOf(source)) await receive(target, piece)
      const value = (await readRows(target, 'e1')).find(([time]) => time === 10)?.[1]['value']
      expect(value).toBe(at === 50 ? 3 : 9)
    }
  })
})

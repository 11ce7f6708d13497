/** Version vectors of series. */
import { describe, expect, it } from 'vitest'
import { actorsOf, advanceSeriesVersion, removeSeriesVersions, seriesVersion, seriesVersions } from '../../../src/store/series/versionVector.js'
import { seriesVersionElement, xorInto, zeroDigest, type DigestElement } from '../../../src/store/model/digestElement.js'
import { describeRepository, repositories } from '../repository.js'

describeRepository('version vectors', {
  read: ({ store: { db }, account: { prefix } }) => [
    [...seriesVersions(db, prefix, 'e1')],
    actorsOf(db, prefix, 'e1'),
    seriesVersion(db, prefix, 'e1', 'b'),
    [...seriesVersions(db, prefix, 'e2')],
  ],
  absent: [[], [], undefined, []],
  steps: [
    { write: (t) => void advanceSeriesVersion(t, 'e1', 'b', 5), expected: [[['b', 5]], ['b'], 5, []] },
    { write: (t) => void advanceSeriesVersion(t, 'e1', 'a', 6), expected: [[['b', 5], ['a', 6]], ['b', 'a'], 5, []] },
    { write: (t) => void advanceSeriesVersion(t, 'e1', 'b', 9), expected: [[['b', 9], ['a', 6]], ['b', 'a'], 9, []] },
  ],
  remove: (t) => void removeSeriesVersions(t, 'e1'),
})

describe('changes of version vectors', () => {
  const all = repositories()
  const sum = (...elements: DigestElement[]): DigestElement => {
    const total = zeroDigest()
    for (const element of elements) xorInto(total, element)
    return total
  }

  it('change the digest by the difference', async () => {
    const account = await all.account()
    const element = (actor: string, time: number): DigestElement => seriesVersionElement('me1', actor, time)
    const deltas = await account.write((t) => [
      advanceSeriesVersion(t, 'e1', 'a', 5),
      advanceSeriesVersion(t, 'e1', 'a', 7),
      advanceSeriesVersion(t, 'e1', 'b', 1),
      removeSeriesVersions(t, 'e1'),
      removeSeriesVersions(t, 'e1'),
    ])
    expect(deltas).toEqual([
      sum(element('a', 5)),
      sum(element('a', 5), element('a', 7)),
      sum(element('b', 1)),
      sum(element('a', 7), element('b', 1)),
      undefined,
    ])
  })
})

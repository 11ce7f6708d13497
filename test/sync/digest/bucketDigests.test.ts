import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { textElement, type DigestElement } from '../../../src/store/model/digestElement.js'
import { BUCKETS, BucketDigests } from '../../../src/sync/digest/buckets.js'

const bucket = fc.constantFrom(0, 1, 255, 256, BUCKETS - 1)
const element: fc.Arbitrary<DigestElement> = fc.nat({ max: 5 }).map((n) => textElement('ex', String(n)))
const states = fc.array(element, { maxLength: 3 })

describe('the total of all buckets', () => {
  it('is the exclusive or of their elements after any updates', () => {
    const doing = fc.oneof(
      fc.record({ is: fc.constant('toggle' as const), bucket, states }),
      fc.record({ is: fc.constant('replace' as const), bucket, states }),
      fc.record({ is: fc.constant('load' as const), bucket, states }),
    )
    fc.assert(
      fc.property(fc.array(doing, { maxLength: 12 }), (all) => {
        const sums = new BucketDigests()
        const other = new BucketDigests()
        for (const { is, bucket, states } of all) {
          const page = bucket >>> 8
          other.replace(bucket, states)
          if (is === 'toggle') for (const state of states) sums.toggle(bucket, state)
          else if (is === 'replace') sums.replace(bucket, states)
          else sums.setPage(page, other.page(page) ?? new Uint8Array(256 * 16))
        }
        expect(sums.total()).toEqual(sums.sum(0, BUCKETS))
      }),
      { numRuns: 50 },
    )
  })

  it('is a copy that later updates do not change', () => {
    const sums = new BucketDigests()
    const before = sums.total()
    sums.toggle(7, textElement('ex', '1'))
    expect(before.every((byte) => byte === 0)).toBe(true)
  })
})

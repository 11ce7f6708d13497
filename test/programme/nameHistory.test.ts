/** The checker of histories of names accepts legal histories, rejects the others, and agrees with a naive search. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HOLD, judgeName, ownerAfter, type NameOperation } from './support/claims/nameHistory.js'

type Kind = NameOperation['kind']
const sure = (kind: Kind, account: string | null, from: number, to: number): NameOperation => ({
  ...{ kind, account, from, to, isSure: true },
  ...(kind === 'read' ? { how: 'exact' } : {}),
})
const unsure = (kind: Kind, account: string, from: number): NameOperation => ({ kind, account, from, to: Infinity, isSure: false, lingers: true })
const read = (how: 'own' | 'cached', account: string | null, from: number, to: number): NameOperation => ({ kind: 'read', account, from, to, isSure: true, how })
const judge = (operations: NameOperation[], start: string | null = null): string[] => judgeName({ operations, start })

describe('the checker of names', () => {
  const legal: [string, NameOperation[], string | null][] = [
    ['a claim that is found', [sure('claim', 'a', 0, 1), sure('read', 'a', 2, 3)], null],
    ['a read during a claim, before and after its effect', [sure('claim', 'a', 0, 9), sure('read', null, 1, 2), sure('read', 'a', 3, 4)], null],
    ['a claim after a release', [sure('release', 'a', 0, 5), sure('claim', 'b', 1, 6), sure('read', 'b', 7, 8)], 'a'],
    ['an unsure claim that took effect late', [unsure('claim', 'a', 0), sure('read', null, 1, 2), sure('read', 'a', 3, 4)], null],
    ['an unsure claim that took no effect', [unsure('claim', 'a', 0), sure('claim', 'b', 1, 2), sure('read', 'b', 3, 4)], null],
    ['an unsure release before an unsure claim', [unsure('release', 'a', 0), unsure('claim', 'b', 0), sure('read', 'b', 3, 4)], 'a'],
    ['a refusal by an owner', [sure('refused', 'b', 1, 2)], 'a'],
    ['a refusal by the hold of a claim under way', [sure('claim', 'a', 0, 9), sure('refused', 'b', 1, 2), sure('read', null, 3, 4)], null],
    ['a refusal by a hold that a killed core left', [unsure('claim', 'a', 0), sure('refused', 'b', 100, 101), sure('read', null, 102, 103)], null],
    ['an account in its own store before the registry confirms it', [sure('claim', 'a', 0, 9), read('own', 'a', 1, 2), sure('read', null, 3, 4)], null],
    ['a hold, which readers do not see', [sure('claim', `${HOLD}1`, 0, 1), sure('read', null, 2, 3), sure('refused', 'b', 4, 5), sure('release', `${HOLD}1`, 6, 7), sure('claim', 'b', 8, 9)], null],
    ['a cached absence of two seconds', [sure('claim', 'a', 0, 1), read('cached', null, 1900, 1901)], null],
    ['a cached holder that has left', [sure('release', 'a', 0, 1), read('cached', 'a', 5000, 5001)], 'a'],
  ]
  it.each(legal)('accepts %s', (_, operations, start) => expect(judge(operations, start)).toEqual([]))

  const illegal: [string, NameOperation[], string | null][] = [
    ['two winners', [sure('claim', 'a', 0, 5), sure('claim', 'b', 1, 6)], null],
    ['a claim during a hold', [sure('claim', `${HOLD}1`, 0, 1), sure('claim', 'b', 2, 3), sure('release', `${HOLD}1`, 4, 5)], null],
    ['a lost claim', [sure('claim', 'a', 0, 1), sure('read', null, 2, 3)], null],
    ['a claim of a name with an owner', [sure('claim', 'b', 0, 1)], 'a'],
    ['a read of a holder that never was', [sure('read', 'b', 0, 1)], 'a'],
    ['a read that goes back', [sure('claim', 'a', 0, 9), sure('read', 'a', 1, 2), sure('read', null, 3, 4)], null],
    ['a refusal without a holder', [sure('refused', 'a', 0, 1)], null],
    ['a release that took no effect', [sure('release', 'a', 0, 1), sure('read', 'a', 2, 3)], 'a'],
    ['an unsure claim that ended again', [unsure('claim', 'a', 0), sure('read', 'a', 1, 2), sure('read', null, 3, 4)], null],
    ['an account in its own store after its release', [sure('release', 'a', 0, 1), read('own', 'a', 2, 3)], 'a'],
    ['an account in its own store after its refusal', [sure('claim', 'b', 0, 1), sure('refused', 'a', 2, 3), read('own', 'a', 4, 5)], null],
    ['a cached absence after more than two seconds', [sure('claim', 'a', 0, 1), read('cached', null, 2100, 2101)], null],
    ['a cached holder that never was', [read('cached', 'b', 0, 1)], 'a'],
  ]
  it.each(illegal)('rejects %s', (_, operations, start) => expect(judge(operations, start)).toHaveLength(1))

  it('agrees with a search through all orders', () => {
    const accounts = fc.constantFrom('a', 'b')
    const time = fc.integer({ min: 0, max: 8 })
    const operation = fc
      .record({ kind: fc.constantFrom<Kind>('claim', 'claim', 'release', 'read'), account: fc.option(accounts, { freq: 3 }), from: time, length: time, isUnsure: fc.boolean() })
      .map(({ kind, account, from, length, isUnsure }): NameOperation => {
        if (kind === 'read') return sure('read', account, from, from + length)
        return isUnsure ? unsure(kind, account ?? 'a', from) : sure(kind, account ?? 'b', from, from + length)
      })
    const seen = { legal: 0, illegal: 0 }
    fc.assert(
      fc.property(fc.array(operation, { minLength: 1, maxLength: 6 }), fc.option(accounts), (operations, start) => {
        const isLegal = hasOrder(operations, start)
        seen[isLegal ? 'legal' : 'illegal'] += 1
        expect(judge(operations, start).length === 0).toBe(isLegal)
      }),
      { numRuns: 5000 },
    )
    expect(Math.min(seen.legal, seen.illegal)).toBeGreaterThan(300)
  })

  it('decides long histories with many unsure operations', () => {
    const operations: NameOperation[] = []
    for (let round = 0; round < 200; round++) {
      const at = round * 10
      operations.push(sure('claim', `a${round}`, at, at + 3), sure('read', `a${round}`, at + 4, at + 5), unsure('claim', `u${round}`, at + 1))
      operations.push(sure('release', `a${round}`, at + 5, at + 8), sure('read', null, at + 5, at + 9), unsure('release', `u${round}`, at + 2))
    }
    expect(judge(operations)).toEqual([])
    expect(judge([...operations, sure('read', 'a3', 3000, 3001)])).toHaveLength(1)
  })
})

/** Tries every order of every selection of unsure operations. */
function hasOrder(operations: readonly NameOperation[], owner: string | null): boolean {
  if (operations.every(({ isSure }) => !isSure)) return true
  return operations.some((next, index) => {
    const rest = operations.filter((_, other) => other !== index)
    if (rest.some(({ to }) => to < next.from)) return !next.isSure && hasOrder(rest, owner)
    const after = ownerAfter(next, owner)
    return (after !== undefined && hasOrder(rest, after)) || (!next.isSure && hasOrder(rest, owner))
  })
}

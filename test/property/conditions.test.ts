import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { matchesConditions, parseConditions } from '../../src/store/model/conditions.js'
import { runs } from '../support/oracles/runs.js'

const names = ['a', 'b', 'constructor', '__proto__', 'length', '0']
const scalar = fc.oneof(fc.constantFrom('', 'a', 'ab', 'b'), fc.constantFrom(0, 1, -1, 0.5), fc.boolean())
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    scalar,
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 2 }),
    // Built from entries, so that __proto__ becomes a member.
    fc
      .array(fc.tuple(fc.constantFrom(...names), tie('value')), { maxLength: 4 })
      .map((entries) => Object.fromEntries(entries)),
  ),
})).value

const path = fc.oneof(
  fc.constant('$'),
  fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 3 }).map((p) => p.join('.')),
)
const number = fc.constantFrom(0, 1, -1, 0.5)
const comparison: fc.Arbitrary<[string, unknown]> = fc.oneof(
  fc.tuple(fc.constantFrom('eq', 'neq'), scalar),
  fc.tuple(fc.constant('in'), fc.array(scalar, { minLength: 1, maxLength: 3 })),
  fc.tuple(fc.constant('exists'), fc.boolean()),
  fc.tuple(fc.constantFrom('gt', 'gte', 'lt', 'lte'), number),
  fc.tuple(fc.constant('prefix'), fc.constantFrom('a', 'ab', 'b')),
)

const conditions = fc.array(fc.tuple(path, comparison), { maxLength: 4 })

/** Lists every path of a value, then evaluates the condition on it. */
function naive(conditionPath: string, operator: string, operand: unknown, value: unknown): boolean {
  const paths: [string, unknown][] = []
  const visit = (part: unknown, at: string[]): void => {
    paths.push([at.length === 0 ? '$' : at.join('.'), part])
    if (Object.prototype.toString.call(part) !== '[object Object]') return
    for (const [name, member] of Object.entries(part as object)) visit(member, [...at, name])
  }
  if (value !== undefined) visit(value, [])
  const entry = paths.find(([at]) => at === conditionPath)
  if (operator === 'exists') return operand === (entry !== undefined)
  if (entry === undefined) return false
  const found = entry[1]
  const same = (a: unknown, b: unknown): boolean =>
    typeof a === typeof b && typeof a !== 'object' && String(a) === String(b)
  if (operator === 'eq') return same(found, operand)
  if (operator === 'neq') return !same(found, operand)
  if (operator === 'in') return (operand as unknown[]).filter((one) => same(found, one)).length > 0
  if (operator === 'prefix') return typeof found === 'string' && found.indexOf(operand as string) === 0
  if (typeof found !== 'number') return false
  const sign = Math.sign(found - (operand as number))
  return { gt: [1], gte: [0, 1], lt: [-1], lte: [-1, 0] }[operator]?.includes(sign) ?? false
}

describe('conditions', () => {
  it('agree with a naive evaluation', () => {
    fc.assert(
      fc.property(conditions, fc.array(json, { maxLength: 1 }), (list, [value]) => {
        const raw = list.map(([at, [operator, operand]]) => ({ path: at, [operator]: operand }))
        const expected = list.every(([at, [operator, operand]]) => naive(at, operator, operand, value))
        expect(matchesConditions(parseConditions(raw, 'content'), value)).toBe(expected)
        expect(matchesConditions(parseConditions(JSON.stringify(raw), 'content'), value)).toBe(expected)
      }),
      { numRuns: runs(1000) },
    )
  })
})

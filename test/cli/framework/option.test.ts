import { describe, expect, it } from 'vitest'
import { CommandError } from '../../../src/cli/framework/exit.js'
import { argumentSyntax, choice, decimal, duration, flag, list, optionSyntax, readParameter, text, whole } from '../../../src/cli/framework/option.js'
import type { Parameter } from '../../../src/cli/framework/option.js'

const cases: Array<[string, Parameter<unknown>, readonly string[] | undefined, unknown]> = [
  ['a given flag', flag(''), [], true],
  ['a missing flag', flag(''), undefined, false],
  ['text', text(''), ['a b'], 'a b'],
  ['empty text', text(''), [''], ''],
  ['the last of several texts', text(''), ['a', 'b'], 'b'],
  ['a missing text', text(''), undefined, undefined],
  ['a whole number', whole(''), ['42'], 42],
  ['a permitted negative number', whole('', { from: -1 }), ['-1'], -1],
  ['a decimal', decimal(''), ['-1.5'], -1.5],
  ['seconds', duration(''), ['90'], 90],
  ['minutes', duration(''), ['1.5m'], 90],
  ['days', duration(''), ['30d'], 2_592_000],
  ['milliseconds', duration(''), ['250ms'], 0.25],
  ['a choice', choice(['a', 'b'], ''), ['b'], 'b'],
  ['a list', list(''), ['a', 'b,c'], ['a', 'b,c']],
  ['a list with a separator', list('', { separator: ',' }), ['a', 'b,c,'], ['a', 'b', 'c']],
  ['a missing list', list(''), undefined, []],
]

const invalid: Array<[string, Parameter<unknown>, readonly string[] | undefined, string]> = [
  ['a missing required value', text('', { required: true }), undefined, '--x is missing'],
  ['an empty required list', list('', { required: true }), [], '--x is missing'],
  ['a word for a number', whole(''), ['ten'], '--x takes a whole number, 0 or more, not "ten"'],
  ['hexadecimal', whole(''), ['0x1'], '--x takes a whole number, 0 or more, not "0x1"'],
  ['a number out of bounds', whole('', { from: 1, to: 3 }), ['4'], '--x takes a whole number from 1 to 3, not "4"'],
  ['an empty number', decimal(''), [''], '--x takes a number, not ""'],
  ['a duration without a number', duration(''), ['d'], '--x takes a duration such as 30s, 10m, 1h or 30d, not "d"'],
  ['an unknown choice', choice(['a', 'b'], ''), ['c'], '--x takes one of a, b, not "c"'],
]

describe('the parser of parameters', () => {
  it.each(cases)('reads %s', (_, parameter, given, value) => {
    expect(readParameter(parameter, '--x', given)).toEqual(value)
  })

  it.each(invalid)('refuses %s', (_, parameter, given, message) => {
    const read = (): unknown => readParameter(parameter, '--x', given)
    expect(read).toThrow(message)
    expect(read).toThrow(CommandError)
    expect(read).toThrow(expect.objectContaining({ exit: 2 }))
  })

  it.each([
    ['mergeEventsWithParent', flag(''), '--merge-events-with-parent'],
    ['limit', whole('', { short: 'n' }), '-n, --limit <n>'],
    ['to', text('', { placeholder: 'file' }), '--to <file>'],
    ['direction', choice(['in', 'out'], ''), '--direction <in|out>'],
  ])('prints the option %s as %s', (key, parameter, syntax) => expect(optionSyntax(key, parameter)).toBe(syntax))

  it.each([
    ['key', text('', { required: true }), '<key>'],
    ['newValue', text(''), '[new-value]'],
    ['words', list(''), '[words...]'],
  ])('prints the argument %s as %s', (key, parameter, syntax) => expect(argumentSyntax(key, parameter)).toBe(syntax))
})

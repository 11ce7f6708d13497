import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createListReader } from '../../../src/cli/client/listReader.js'

function read(text: string, sizes: readonly number[]): { items: string[]; ended: boolean } {
  const reader = createListReader('events')
  const bytes = Buffer.from(text)
  const items: string[] = []
  let at = 0
  for (const size of [...sizes, bytes.length]) {
    items.push(...reader.feed(bytes.subarray(at, at + size)))
    at += size
  }
  return { items, ended: reader.ended() }
}

describe('the reader of a list in a response', () => {
  it('yields each item however the response is chunked', () => {
    const others = fc.dictionary(fc.constantFrom('a', 'b"', 'event', '\\events'), fc.jsonValue(), { maxKeys: 3 })
    fc.assert(
      fc.property(others, fc.array(fc.jsonValue()), others, fc.array(fc.integer({ min: 1, max: 9 })), fc.boolean(), (before, events, after, sizes, spaced) => {
        const text = JSON.stringify({ ...before, events, ...after }, null, spaced ? 2 : 0)
        const { items, ended } = read(text, sizes)
        expect(items.map((item) => JSON.parse(item) as unknown)).toEqual(JSON.parse(JSON.stringify(events)))
        expect(ended).toBe(true)
      }),
    )
  })

  it('detects a list that ends early', () => {
    expect(read('{"events":[{"id":"a"},{"id":"b"', [3]).ended).toBe(false)
    expect(read('{"events":[{"id":"a"}]', [3])).toEqual({ items: ['{"id":"a"}'], ended: false })
  })

  it.each([
    ['{}', []],
    ['{"events":[]}', []],
    ['{"events":null}', []],
    ['{"events":{"a":[1],"b":2,"c":3}}', []],
    ['{"x":{"events":[1]},"y":["events",[2]]}', []],
    ['{"events":[1, "a]," , [2,[3]], {"events":[4]}]}', ['1', '"a],"', '[2,[3]]', '{"events":[4]}']],
  ])('reads %s', (text, items) => expect(read(text, [])).toEqual({ items, ended: true }))
})

/** A program that was installed anew over the running node. */
import { describe, expect, it } from 'vitest'
import { asFailure } from '../../../src/server/dispatch/call.js'
import type { Node } from '../../../src/server/index.js'

const logged: string[] = []
const node = { log: { error: (message: string) => void logged.push(message) } } as unknown as Node

describe('what a call meets unexpectedly', () => {
  it.each([
    ['a part of the program that is gone', Object.assign(new Error('x'), { code: 'ERR_MODULE_NOT_FOUND' }), /Restart the node/],
    ['anything else', new Error('x'), /^Something unexpected/],
    ['what is no error', 'x', /^Something unexpected/],
  ])('is logged and told: %s', (_, error, message) => {
    logged.length = 0
    const failure = asFailure(node, 'events.get', error)
    expect([failure.id, failure.message]).toEqual(['unexpected-error', expect.stringMatching(message)])
    expect(logged).toEqual(['a call failed unexpectedly'])
  })
})

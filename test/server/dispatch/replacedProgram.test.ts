/** Unexpected errors, as after an update of the program files of a running node. */
import { describe, expect, it } from 'vitest'
import { asFailure } from '../../../src/server/dispatch/call.js'
import type { Node } from '../../../src/server/index.js'

const logged: string[] = []
const node = { log: { error: (message: string) => void logged.push(message) } } as unknown as Node

describe('an unexpected error of a call', () => {
  it.each([
    ['a missing program file', Object.assign(new Error('x'), { code: 'ERR_MODULE_NOT_FOUND' }), /Restart the node/],
    ['another error', new Error('x'), /^Something unexpected/],
    ['a thrown text', 'x', /^Something unexpected/],
  ])('is logged and returned: %s', (_, error, message) => {
    logged.length = 0
    const failure = asFailure(node, 'events.get', error)
    expect([failure.id, failure.message]).toEqual(['unexpected-error', expect.stringMatching(message)])
    expect(logged).toEqual(['a call failed unexpectedly'])
  })
})

import { describe, expect, it } from 'vitest'
import { methods } from '../../../src/server/api/methods.js'
import type { Method } from '../../../src/server/call/method.js'
import { createQueryReader } from '../../../src/server/dispatch/query.js'

const methodOf = (id: string): Method => {
  const found = methods.find((method) => method.id === id)
  if (found === undefined) throw new Error(`no method ${id}`)
  return found
}
const getEvents = methodOf('events.get')

describe('repeated queries', () => {
  it('return the same frozen object', () => {
    const reader = createQueryReader()
    const first = reader.parametersOf(getEvents, 'limit=20')
    expect(first).toEqual({ limit: 20 })
    expect(reader.parametersOf(getEvents, 'limit=20')).toBe(first)
    expect(Object.isFrozen(first)).toBe(true)
    expect(reader.parametersOf(getEvents, 'limit=21')).toEqual({ limit: 21 })
  })

  it('are cached for each method', () => {
    const reader = createQueryReader()
    const ofEvents = reader.parametersOf(getEvents, 'limit=20')
    const ofStreams = reader.parametersOf(methodOf('streams.get'), 'limit=20')
    expect(ofStreams).not.toBe(ofEvents)
    expect(ofStreams).toEqual({})
  })

  it.each(['limit=20&auth=some-token', 'auth=some-token', `types=${'a'.repeat(300)}/b`])('are not cached: %s', (query) => {
    const reader = createQueryReader()
    expect(reader.parametersOf(getEvents, query)).not.toBe(reader.parametersOf(getEvents, query))
  })
})

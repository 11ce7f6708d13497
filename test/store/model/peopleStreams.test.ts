/** The rule that separates streams of people from those of the node. */
import { describe, expect, it } from 'vitest'
import { countPeopleStreams, isPeopleEvent, isPeopleStream } from '../../../src/store/model/peopleStreams.js'
import { createTree } from '../../../src/store/model/tree.js'

describe('a stream', () => {
  it.each([
    ['diary', true],
    ['', true],
    [':shop:orders', true],
    [':_shop:orders', true],
    ['_cmc', true],
    [':_system:account', false],
    [':_system:language', false],
    [':system:email', false],
    [':_cmc:', false],
    [':_cmc:inbox', false],
    [':_cmc:apps:my-app:chats:ben--example-org', false],
    [':_audit:', false],
    [':_audit:access-a1', false],
    [':_shared-secrets:a1', false],
    [':_emails:', false],
    [':_delegation:', false],
    [':_delegation:_internal', false],
  ])('%s is of people: %s', (id, expected) => expect(isPeopleStream(id)).toBe(expected))
})

describe('an event', () => {
  it.each([
    [['diary'], true],
    [[':_cmc:inbox', 'diary'], true],
    [[':_cmc:inbox'], false],
    [[], false],
  ])('in %j is of people: %s', (streamIds, expected) => expect(isPeopleEvent(streamIds)).toBe(expected))
})

describe('the count of streams', () => {
  const stream = (id: string, parentId: string | null = null, trashed = false): Parameters<typeof createTree>[0] extends Iterable<infer S> ? S : never => ({
    id,
    name: id,
    parentId,
    created: 1,
    createdBy: 'a',
    modified: 1,
    modifiedBy: 'a',
    ...(trashed ? { trashed } : {}),
  })

  it('leaves out those of the node and trashed ones, and follows changes', () => {
    const tree = createTree([stream('a'), stream('b', 'a'), stream('c', null, true), stream('d', 'c'), stream(':_cmc:'), stream(':_cmc:inbox', ':_cmc:')])
    expect(countPeopleStreams(tree)).toBe(2)
    tree.put(stream('e'))
    expect(countPeopleStreams(tree)).toBe(3)
    tree.put(stream('a', null, true))
    expect(countPeopleStreams(tree)).toBe(1)
  })
})

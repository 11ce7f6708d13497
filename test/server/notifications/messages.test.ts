import { describe, expect, it } from 'vitest'
import { messagesOf } from '../../../src/server/notifications/notifier.js'
import type { JournalEntry } from '../../../src/store/engine/journal.js'

const change = (kind: JournalEntry['kind'], action: JournalEntry['action'], origin?: number): JournalEntry => ({
  account: '1',
  sequence: 1,
  kind,
  action,
  id: 'x',
  ...(origin === undefined ? {} : { origin }),
})

describe('messages of changes', () => {
  it.each([
    ['an event', [change('event', 'create')], ['eventsChanged']],
    ['a stream', [change('stream', 'create')], ['streamsChanged']],
    ['an access', [change('access', 'delete')], ['accessesChanged']],
    ['two events', [change('event', 'create'), change('event', 'delete')], ['eventsChanged']],
    ['kinds without messages', [change('profile', 'update'), change('session', 'delete')], []],
    ['a stream created on another node, possibly after its events', [change('stream', 'create', 1)], ['streamsChanged', 'eventsChanged']],
    ['a stream deleted on another node, possibly before its events', [change('stream', 'delete', 1)], ['streamsChanged', 'eventsChanged']],
    ['a stream updated on another node', [change('stream', 'update', 1)], ['streamsChanged']],
  ])('include the messages of %s', (_, changes, messages) => {
    expect(messagesOf(changes)).toEqual(messages)
  })
})

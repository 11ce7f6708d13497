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

describe('the messages of changes', () => {
  it.each([
    ['an event', [change('event', 'create')], ['eventsChanged']],
    ['a stream', [change('stream', 'create')], ['streamsChanged']],
    ['an access', [change('access', 'delete')], ['accessesChanged']],
    ['two events', [change('event', 'create'), change('event', 'delete')], ['eventsChanged']],
    ['what nobody is told of', [change('profile', 'update'), change('session', 'delete')], []],
    ['a stream that comes from another node, after its events perhaps', [change('stream', 'create', 1)], ['streamsChanged', 'eventsChanged']],
    ['a stream that goes on another node, before its events perhaps', [change('stream', 'delete', 1)], ['streamsChanged', 'eventsChanged']],
    ['a stream that changes on another node', [change('stream', 'update', 1)], ['streamsChanged']],
  ])('tell of %s', (_, changes, messages) => {
    expect(messagesOf(changes)).toEqual(messages)
  })
})

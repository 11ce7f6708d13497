/** Behaviour of streams.summary: docs/interface/streams.md#summaries. */
import { expect } from 'vitest'
import { describeMethod, type Row, type Stage } from '../../../support/http/methodTable.js'

interface Summary {
  id: string
  events: number
  trashed: number
  total: number
  last?: { time: number; content?: unknown }
}

/** Creates the streams `a` > `b` and `c` (trashed), with events. */
const afterEvents = (params: unknown) => async (s: Stage) => {
  for (const stream of [{ id: 'a', name: 'a' }, { id: 'b', name: 'b', parentId: 'a' }, { id: 'c', name: 'c' }]) await s.arrange('streams.create', stream)
  const events = [
    { streamIds: ['a'], type: 'note/txt', time: 1, content: 'x' },
    { streamIds: ['a', 'b'], type: 'note/txt', time: 2, content: 'y'.repeat(300) },
    { streamIds: ['b'], type: 'note/txt', time: 3, content: 'z', trashed: true },
    { streamIds: ['c', 'b'], type: 'note/txt', time: 4, content: 'c' },
  ]
  for (const event of events) await s.arrange('events.create', event)
  await s.arrange('streams.delete', { id: 'c' })
  return params
}

const own = (result: Record<string, unknown>): unknown[] =>
  (result['streams'] as Summary[]).filter(({ id }) => !id.startsWith(':')).map(({ id, events, trashed, total, last }) => [id, events, trashed, total, last?.time, last?.content])

const rows: Row[] = [
  {
    it: 'counts events, and each once below a stream',
    given: afterEvents({}),
    gives: 200,
    then: (result) => void expect(own(result)).toEqual([['a', 2, 0, 3, 2, undefined], ['b', 2, 1, 2, 4, 'c']]),
  },
  { it: 'lists trashed streams on request', given: afterEvents({ state: 'all' }), gives: 200, then: (result) => void expect(own(result)).toHaveLength(3) },
  { it: 'lists the streams below one', given: afterEvents({ parentId: 'a' }), gives: 200, then: (result) => void expect(own(result)).toEqual([['b', 2, 1, 2, 4, 'c']]) },
  {
    it: 'counts what the access may read',
    as: [{ streamId: 'b', level: 'read' }, { streamId: 'a', level: 'none' }],
    given: afterEvents({}),
    gives: 200,
    then: (result) => void expect(own(result)).toEqual([['b', 1, 1, 1, 4, 'c']]),
  },
  { it: 'refuses unknown parents', send: { parentId: 'none' }, gives: [400, 'unknown-referenced-resource'] },
  { it: 'refuses unreadable parents', as: [{ streamId: 'b', level: 'read' }], given: afterEvents({ parentId: 'a' }), gives: [403, 'forbidden'] },
]

describeMethod('streams.summary', rows)

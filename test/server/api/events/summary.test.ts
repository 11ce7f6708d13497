/** Behaviour of events.summary: docs/interface/events.md#summaries. */
import { expect } from 'vitest'
import { describeMethod, type Row, type Stage } from '../../../support/http/methodTable.js'

interface Group {
  streamId: string
  type: string
  field: string
  count: number
  buckets: { index: number[]; count: number[] }
}
interface Summary {
  fromTime?: number
  toTime?: number
  count: number
  groups: Group[]
  periods: { from: number; to: number; count: number }[]
  more?: boolean
}

/** Creates the streams `body` > `weight` and `secret`, with events from 100 on. */
const afterEvents = (params: unknown) => async (s: Stage) => {
  for (const stream of [{ id: 'body', name: 'b' }, { id: 'weight', name: 'w', parentId: 'body' }, { id: 'secret', name: 's' }]) await s.arrange('streams.create', stream)
  const events = [
    { streamIds: ['weight'], type: 'mass/kg', time: 100, content: 70 },
    { streamIds: ['weight'], type: 'mass/kg', time: 200, content: 74 },
    { streamIds: ['body', 'weight'], type: 'note/txt', time: 150, content: 'x', duration: 20 },
    { streamIds: ['body'], type: 'note/txt', time: 165, content: 'y', duration: 5 },
    { streamIds: ['secret', 'weight'], type: 'mass/kg', time: 120, content: 1 },
  ]
  for (const event of events) await s.arrange('events.create', event)
  return params
}

const expecting =
  (check: (summary: Summary) => void): NonNullable<Row['then']> =>
  (result) => {
    check(result['summary'] as Summary)
  }
const shapeOf = ({ groups }: Summary): unknown[] => groups.map(({ streamId, type, field, count }) => [streamId, type, field, count])

const rows: Row[] = [
  { it: 'has no span without events', send: { types: ['mass/kg'] }, gives: 200, result: { summary: { count: 0, groups: [], periods: [] } } },
  {
    it: 'groups by the first matching stream, type and field',
    given: afterEvents({ streams: ['body'] }),
    gives: 200,
    then: expecting((summary) => {
      expect(shapeOf(summary)).toEqual([['weight', 'mass/kg', '', 3], ['body', 'note/txt', '', 2]])
      expect(summary).toMatchObject({ fromTime: 100, toTime: 200, count: 5, periods: [{ streamId: 'body', type: 'note/txt', from: 150, to: 170, count: 2 }] })
    }),
  },
  {
    it: 'has groups for each of several named streams',
    given: afterEvents({ streams: ['body', 'weight!'], types: ['note/*'] }),
    gives: 200,
    then: expecting((summary) => {
      expect(shapeOf(summary)).toEqual([['body', 'note/txt', '', 2], ['weight', 'note/txt', '', 1]])
      expect(summary.count).toBe(2)
    }),
  },
  {
    it: 'divides by edges, without the last one',
    given: afterEvents({ types: ['mass/kg'], edges: [100, 120, 200] }),
    gives: 200,
    then: expecting(({ groups }) => {
      expect(groups[0]?.buckets).toMatchObject({ index: [0], count: [1], mean: [70] })
      expect(groups[1]?.buckets).toMatchObject({ index: [1], count: [1], mean: [1] })
    }),
  },
  {
    it: 'leaves out events with a stream that the access may not read',
    as: [{ streamId: 'body', level: 'read' }, { streamId: 'secret', level: 'none' }],
    given: afterEvents({ types: ['mass/kg'] }),
    gives: 200,
    then: expecting((summary) => {
      expect(shapeOf(summary)).toEqual([['weight', 'mass/kg', '', 2]])
    }),
  },
  { it: 'refuses streams that the access may not read', as: [{ streamId: 'body', level: 'read' }], given: afterEvents({ streams: ['secret'] }), gives: [403, 'forbidden'] },
  { it: 'refuses unknown streams', send: { streams: ['none'] }, gives: [400, 'unknown-referenced-resource'] },
  { it: 'refuses too many points', send: { points: 4001 }, gives: [400, 'invalid-parameters-format'] },
  { it: 'refuses edges that do not ascend', send: { edges: [2, 1] }, gives: [400, 'invalid-parameters-format'] },
  { it: 'refuses points with edges', send: { edges: [1, 2], points: 3 }, gives: [400, 'invalid-request-structure'] },
  {
    it: 'summarises audit records',
    given: afterEvents({ streams: [':_audit:accesses'] }),
    gives: 200,
    then: expecting(({ count }) => {
      expect(count).toBeGreaterThan(0)
    }),
  },
]

describeMethod('events.summary', rows)

import { expect } from 'vitest'
import { namesIn } from '../../../support/people/fillAccount.js'
import { among, finds, heart, type Events } from '../../../support/http/foundEvents.js'
import { describeMethod, type Row } from '../../../support/http/methodTable.js'

const now = (): number => Date.now() / 1000
const DAY = 86400
const refusedFormat: Row['gives'] = [400, 'invalid-parameters-format']

/** Two points in time, a period, a longer one, and a running one. */
const timeline = {
  running: { ...heart, time: 100, duration: null },
  long: { ...heart, time: 500, duration: 5000 },
  point: { ...heart, time: 1000 },
  period: { ...heart, time: 1000.5, duration: 499.5 },
  later: { ...heart, time: 3000 },
}

const windows: Row[] = [
  finds(
    'finds events in progress during the window',
    timeline,
    { fromTime: 1200, toTime: 1400, sortAscending: true },
    'long',
    'period',
  ),
  finds('includes events that end at the start of the window', timeline, { fromTime: 1500, toTime: 1600 }, 'period', 'long'),
  finds('excludes events that end before the window', timeline, { fromTime: 1500.001, toTime: 1600 }, 'long'),
  finds('includes events that start at the end of the window', timeline, { fromTime: 900, toTime: 1000 }, 'point', 'long'),
  finds('includes events that start at the start of the window', timeline, { fromTime: 3000, toTime: 3000 }, 'later', 'long'),
  finds(
    'finds periods that cover a window with swapped bounds',
    timeline,
    { fromTime: 1400, toTime: 1200 },
    'period',
    'long',
  ),
  finds(
    'applies skip and limit to all events of a window',
    timeline,
    { fromTime: 1000, toTime: 9000, skip: 1, limit: 2 },
    'period',
    'point',
  ),
  finds(
    'applies skip and limit from the start in ascending order',
    timeline,
    { fromTime: 1000, toTime: 9000, skip: 1, limit: 2, sortAscending: true },
    'point',
    'period',
  ),
  finds(
    'defaults fromTime to one day before toTime',
    { a: { ...heart, time: 0 }, b: { ...heart, time: 1 } },
    { toTime: DAY + 1 },
    'b',
  ),
  finds(
    'defaults toTime to now',
    () => ({ past: { ...heart, time: now() - 50 }, future: { ...heart, time: now() + 500 } }),
    () => ({ fromTime: now() - 100 }),
    'past',
  ),
  finds(
    'accepts 0 for toTime',
    { a: { ...heart, time: -1 }, b: { ...heart, time: 1 } },
    { toTime: 0 },
    'a',
  ),
  finds('accepts 0 for fromTime', { a: { ...heart, time: -1 }, b: { ...heart, time: 1 } }, { fromTime: 0 }, 'b'),
  finds(
    'accepts the largest numbers',
    { a: { ...heart, time: -Number.MAX_VALUE }, b: { ...heart, time: Number.MAX_VALUE } },
    { fromTime: -Number.MAX_VALUE, toTime: Number.MAX_VALUE },
    'b',
    'a',
  ),
  finds(
    'has no time bounds when only a limit is set',
    () => ({ ...timeline, future: { ...heart, time: now() + DAY }, before: { ...heart, time: -9 } }),
    { limit: 100 },
    'future',
    'later',
    'period',
    'point',
    'long',
    'running',
    'before',
  ),
]

const points = (count: number): Events =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`e${n}`, { ...heart, time: n }]))

const limits: Row[] = [
  {
    it: 'returns 20 events by default',
    given: among(points(25), {}),
    gives: 200,
    then: ({ events }) => expect(events).toHaveLength(20),
  },
  finds(
    'returns the newest first',
    points(25),
    { streams: 'heart' },
    ...Array.from({ length: 20 }, (_, n) => `e${24 - n}`),
  ),
  finds(
    'returns the 20 oldest in ascending order',
    points(25),
    { streams: 'heart', sortAscending: true },
    ...Array.from({ length: 20 }, (_, n) => `e${n}`),
  ),
  {
    it: 'returns all events within time bounds',
    given: among(points(25), { fromTime: 0 }),
    gives: 200,
    then: (r) => expect(namesIn(r)).toHaveLength(25),
  },
  finds(
    'applies skip and limit',
    { ...points(5), t: { ...heart, time: 3.5, trashed: true } },
    { streams: ['heart'], skip: 1, limit: 3, state: 'all' },
    't',
    'e3',
    'e2',
  ),
  finds('accepts a limit of 0', points(3), { limit: 0 }),
  finds('accepts a skip beyond the end', points(3), { skip: 100000, limit: 100000 }),
  ...[0, 100000].map((n) => ({ it: `accepts a limit and skip of ${n}`, send: { limit: n, skip: n }, gives: 200 })),
  ...(['limit', 'skip'] as const).flatMap((name) =>
    [-1, 1.5, 100001, 'many', ''].map((value) => ({
      it: `refuses ${name} ${JSON.stringify(value)}`,
      send: { [name]: value },
      gives: refusedFormat,
    })),
  ),
]

const runningNow = (): Events => ({
  old: { ...heart, time: 100, duration: null },
  fresh: { ...heart, time: now() - 1, duration: null },
  future: { ...heart, time: now() + 500, duration: null },
  point: { ...heart, time: now() - 20 },
})

const running: Row[] = [
  finds(
    'includes running events when the window covers the present',
    runningNow,
    () => ({ fromTime: now() - 60 }),
    'fresh',
    'point',
    'old',
  ),
  finds(
    'includes running events when the window ends in the future',
    runningNow,
    () => ({ fromTime: now() - 60, toTime: now() + 900 }),
    'future',
    'fresh',
    'point',
    'old',
  ),
  finds(
    'excludes running events from a window in the past',
    runningNow,
    () => ({ fromTime: now() - 60, toTime: now() - 10 }),
    'point',
  ),
  finds(
    'excludes running events that started in a window in the past',
    { r: { ...heart, time: 5, duration: null } },
    { fromTime: 0, toTime: 10 },
  ),
  finds('excludes running events from a window that starts now', runningNow, () => ({ fromTime: now() })),
  finds(
    'excludes running events from a window in the future',
    runningNow,
    () => ({ fromTime: now() + 400, toTime: now() + 600 }),
  ),
  finds('includes running events without a window', runningNow, { streams: 'heart' }, 'future', 'fresh', 'point', 'old'),
  finds('finds only running events with running', runningNow, { running: true }, 'future', 'fresh', 'old'),
  finds('finds running events in ascending order', runningNow, { running: true, sortAscending: true, limit: 2 }, 'old', 'fresh'),
  finds('ignores fromTime with running', runningNow, () => ({ running: true, fromTime: now() - 0.5 }), 'fresh', 'old'),
  finds('applies toTime with running', runningNow, { running: true, toTime: 5000 }, 'old'),
  finds('treats running: false like its absence', runningNow, { running: false, streams: 'heart', limit: 1 }, 'future'),
]

const trash = {
  plain: { ...heart, time: 1 },
  binned: { ...heart, time: 2, trashed: true },
  hidden: { streamIds: ['old'], time: 3 },
  deeper: { streamIds: ['older'], time: 4, trashed: true },
  both: { streamIds: ['old', 'heart'], time: 5 },
}

const inTrash: Row[] = [
  finds('excludes trashed events and events of trashed streams', trash, { limit: 50 }, 'both', 'plain'),
  finds('finds only trashed events with state trashed', trash, { state: 'trashed' }, 'deeper', 'binned'),
  finds('finds all events with state all', trash, { state: 'all', limit: 50 }, 'both', 'deeper', 'hidden', 'binned', 'plain'),
  finds('finds nothing in a trashed stream', trash, { streams: ['old'] }),
  finds('finds nothing below a trashed stream', trash, { streams: ['older'] }),
  finds('finds events of a trashed stream with state all', trash, { streams: ['old'], state: 'all' }, 'both', 'deeper', 'hidden'),
  finds('finds trashed events below a trashed stream with state trashed', trash, { streams: ['old'], state: 'trashed' }, 'deeper'),
  { it: 'refuses an unknown state', send: { state: 'deleted' }, gives: refusedFormat },
]

describeMethod('events.get', [...windows, ...limits, ...running, ...inTrash])

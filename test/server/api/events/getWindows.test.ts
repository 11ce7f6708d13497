import { expect } from 'vitest'
import { namesIn } from '../../../support/people/fillAccount.js'
import { among, finds, heart, type Events } from '../../../support/http/foundEvents.js'
import { describeMethod, type Row } from '../../../support/http/methodTable.js'

const now = (): number => Date.now() / 1000
const DAY = 86400
const refusedFormat: Row['gives'] = [400, 'invalid-parameters-format']

/** A point, a period, a longer one, and one that runs on. */
const timeline = {
  running: { ...heart, time: 100, duration: null },
  long: { ...heart, time: 500, duration: 5000 },
  point: { ...heart, time: 1000 },
  period: { ...heart, time: 1000.5, duration: 499.5 },
  later: { ...heart, time: 3000 },
}

const windows: Row[] = [
  finds(
    'finds what is in progress in a window',
    timeline,
    { fromTime: 1200, toTime: 1400, sortAscending: true },
    'long',
    'period',
  ),
  finds('includes what ends as the window opens', timeline, { fromTime: 1500, toTime: 1600 }, 'period', 'long'),
  finds('excludes what has ended before', timeline, { fromTime: 1500.001, toTime: 1600 }, 'long'),
  finds('includes what begins as the window closes', timeline, { fromTime: 900, toTime: 1000 }, 'point', 'long'),
  finds('includes what begins as it opens', timeline, { fromTime: 3000, toTime: 3000 }, 'later', 'long'),
  finds(
    'finds periods that cover a window turned around',
    timeline,
    { fromTime: 1400, toTime: 1200 },
    'period',
    'long',
  ),
  finds(
    'applies skip and limit over all of a window',
    timeline,
    { fromTime: 1000, toTime: 9000, skip: 1, limit: 2 },
    'period',
    'point',
  ),
  finds(
    'applies them from the start when ascending',
    timeline,
    { fromTime: 1000, toTime: 9000, skip: 1, limit: 2, sortAscending: true },
    'point',
    'period',
  ),
  finds(
    'goes back a day from toTime',
    { a: { ...heart, time: 0 }, b: { ...heart, time: 1 } },
    { toTime: DAY + 1 },
    'b',
  ),
  finds(
    'goes up to now from fromTime',
    () => ({ past: { ...heart, time: now() - 50 }, future: { ...heart, time: now() + 500 } }),
    () => ({ fromTime: now() - 100 }),
    'past',
  ),
  finds(
    'takes 0 for a time, not for none',
    { a: { ...heart, time: -1 }, b: { ...heart, time: 1 } },
    { toTime: 0 },
    'a',
  ),
  finds('takes fromTime 0', { a: { ...heart, time: -1 }, b: { ...heart, time: 1 } }, { fromTime: 0 }, 'b'),
  finds(
    'takes the largest numbers',
    { a: { ...heart, time: -Number.MAX_VALUE }, b: { ...heart, time: Number.MAX_VALUE } },
    { fromTime: -Number.MAX_VALUE, toTime: Number.MAX_VALUE },
    'b',
    'a',
  ),
  finds(
    'has no bounds when there is a limit',
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

const many = (count: number): Events =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`e${n}`, { ...heart, time: n }]))

const limits: Row[] = [
  {
    it: 'answers 20 when nothing else is asked',
    given: among(many(25), {}),
    gives: 200,
    then: ({ events }) => expect(events).toHaveLength(20),
  },
  finds(
    'begins with the newest',
    many(25),
    { streams: 'heart' },
    ...Array.from({ length: 20 }, (_, n) => `e${24 - n}`),
  ),
  finds(
    'answers 20 of the oldest',
    many(25),
    { streams: 'heart', sortAscending: true },
    ...Array.from({ length: 20 }, (_, n) => `e${n}`),
  ),
  {
    it: 'answers all within bounds on time',
    given: among(many(25), { fromTime: 0 }),
    gives: 200,
    then: (r) => expect(namesIn(r)).toHaveLength(25),
  },
  finds(
    'takes skip and limit',
    { ...many(5), t: { ...heart, time: 3.5, trashed: true } },
    { streams: ['heart'], skip: 1, limit: 3, state: 'all' },
    't',
    'e3',
    'e2',
  ),
  finds('takes a limit of 0', many(3), { limit: 0 }),
  finds('takes a skip beyond the end', many(3), { skip: 100000, limit: 100000 }),
  ...[0, 100000].map((n) => ({ it: `takes ${n}`, send: { limit: n, skip: n }, gives: 200 })),
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
    'includes them when the window covers the present',
    runningNow,
    () => ({ fromTime: now() - 60 }),
    'fresh',
    'point',
    'old',
  ),
  finds(
    'includes them when it ends later',
    runningNow,
    () => ({ fromTime: now() - 60, toTime: now() + 900 }),
    'future',
    'fresh',
    'point',
    'old',
  ),
  finds(
    'excludes them from a window in the past',
    runningNow,
    () => ({ fromTime: now() - 60, toTime: now() - 10 }),
    'point',
  ),
  finds(
    'excludes them when they began in that window',
    { r: { ...heart, time: 5, duration: null } },
    { fromTime: 0, toTime: 10 },
  ),
  finds('excludes them when the window has just opened', runningNow, () => ({ fromTime: now() })),
  finds(
    'excludes them from a window in the future',
    runningNow,
    () => ({ fromTime: now() + 400, toTime: now() + 600 }),
  ),
  finds('includes them without a window', runningNow, { streams: 'heart' }, 'future', 'fresh', 'point', 'old'),
  finds('finds nothing else with running', runningNow, { running: true }, 'future', 'fresh', 'old'),
  finds('finds them in ascending order', runningNow, { running: true, sortAscending: true, limit: 2 }, 'old', 'fresh'),
  finds('ignores fromTime with running', runningNow, () => ({ running: true, fromTime: now() - 0.5 }), 'fresh', 'old'),
  finds('heeds toTime with running', runningNow, { running: true, toTime: 5000 }, 'old'),
  finds('takes running: false for not asked', runningNow, { running: false, streams: 'heart', limit: 1 }, 'future'),
]

const trash = {
  plain: { ...heart, time: 1 },
  binned: { ...heart, time: 2, trashed: true },
  hidden: { streamIds: ['old'], time: 3 },
  deeper: { streamIds: ['older'], time: 4, trashed: true },
  both: { streamIds: ['old', 'heart'], time: 5 },
}

const inTrash: Row[] = [
  finds('leaves out what is in the trash', trash, { limit: 50 }, 'both', 'plain'),
  finds('finds only what is trashed', trash, { state: 'trashed' }, 'deeper', 'binned'),
  finds('finds both', trash, { state: 'all', limit: 50 }, 'both', 'deeper', 'hidden', 'binned', 'plain'),
  finds('finds nothing in a stream in the trash', trash, { streams: ['old'] }),
  finds('finds nothing below one', trash, { streams: ['older'] }),
  finds('finds them when asked for all', trash, { streams: ['old'], state: 'all' }, 'both', 'deeper', 'hidden'),
  finds('finds what is trashed there', trash, { streams: ['old'], state: 'trashed' }, 'deeper'),
  { it: 'refuses an unknown state', send: { state: 'deleted' }, gives: refusedFormat },
]

describeMethod('events.get', [...windows, ...limits, ...running, ...inTrash])

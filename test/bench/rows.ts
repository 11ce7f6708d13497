/** Rows of the table with a load: requests, number of connections, and floors. */
import {
  BATCH,
  LIBRARY_EVENTS,
  creation,
  creations,
  EVENTS,
  FILE_BYTES,
  GUEST_STREAMS,
  newAccess,
  streamIdOf,
  timeOf,
  upload,
  type Owner,
  spread,
} from './account.js'
import type { RequestSpec } from './client.js'

/** Accounts of the rows. */
export interface Owners {
  /** Has 100,000 events in 20 streams. */
  reader: Owner
  /** Is empty at first. */
  writer: Owner
  /** Has 100 streams. */
  gardener: Owner
  /** Has 500 streams with 20,000 events. */
  librarian: Owner
  /** May read three streams of the librarian. */
  guest: Owner
  /** Path of a file of a megabyte of the reader. */
  file: string
}

export type Unit = 'req/s' | 'events/s' | 'points/s' | 'MB/s'

export interface Target {
  /** Ratio to the bare route, the figure itself, or ratio to the figure of an earlier row, by its id. */
  of: 'ratio' | 'figure' | { row: string }
  min: number
}

/** Row with a load; `O` is the type of accounts that its request uses. */
export interface LoadRow<O = Owners> {
  id: string
  label: string
  connections: number
  unit: Unit
  /** Events or points of one request. */
  items?: number
  spec(owners: O): RequestSpec
  /** Request to the bare route; large responses are compared with responses of the same size. */
  bare: 'same body' | 'same body, small answer' | 'same bytes' | 'small' | 'same size'
  /** Bytes of a response that is not JSON. */
  answerBytes?: number
  /** True for rows that write, which are also compared with raw LevelDB. */
  writes: boolean
  /** Number of items that the response must contain. */
  expects?: { member: string; items: number }
  target?: Target
  /** Settings of the node as environment variables; such a row starts its own node. */
  settings?: Readonly<Record<string, string>>
}

const DAY = 86_400
const DAYS = 12

/** Returns a new time within the events of the account, at least 12 days after the first. */
const nextTime = (): string => {
  const [from, to] = [timeOf(0) + DAYS * DAY, timeOf(EVENTS)]
  return (from + spread() * (to - from)).toFixed(3)
}

/** Returns a row with a repeated query, and one with a moving time window, which no cache can answer. */
function reading(id: string, query: string, more: Pick<LoadRow, 'unit' | 'bare' | 'expects' | 'target'>): LoadRow[] {
  const label = `events.get ${query.replace('=', ' ')}`
  const base = { ...more, connections: 10, writes: false }
  const warm: LoadRow = {
    ...base,
    id,
    label,
    spec: ({ reader }) => ({ token: reader.token, path: `reader/events?${query}` }),
  }
  const cold: LoadRow = {
    ...base,
    id: `${id}-cold`,
    label: `${label}, cold`,
    spec: ({ reader }) => ({ token: reader.token, path: () => `reader/events?${query}&${windowOf(query)}` }),
  }
  return [warm, cold]
}

/** Returns a time window with enough events; without fromTime it is a day, 1,440 events. */
function windowOf(query: string): string {
  const to = nextTime()
  return query.includes('10000') ? `fromTime=${timeOf(0)}&toTime=${to}` : `toTime=${to}`
}

const creating = (connections: number, target?: Target): LoadRow => ({
  id: `create-${connections}`,
  label: `events.create, ${connections} ${connections === 1 ? 'connection' : 'connections'}`,
  connections,
  unit: 'req/s',
  items: 1,
  spec: ({ writer }) => ({ verb: 'POST', path: 'writer/events', token: writer.token, body: creation() }),
  bare: 'same body',
  writes: true,
  ...(target === undefined ? {} : { target }),
})

const FILTER = `streams=${streamIdOf(3)}&types=temperature/c&limit=100`
const WEEK = 7 * DAY

const weekUntil = (end: number): string =>
  `reader/events?${FILTER}&fromTime=${(end - WEEK).toFixed(3)}&toTime=${end.toFixed(3)}`

const weekBefore = (end: string): string => `streams=${streamIdOf(3)}&points=100&fromTime=${Number(end) - WEEK}&toTime=${end}`

const filtering = (id: string, label: string, path: RequestSpec['path']): LoadRow => ({
  id,
  label,
  connections: 10,
  unit: 'req/s',
  spec: ({ reader }) => ({ token: reader.token, path }),
  bare: 'small',
  writes: false,
  expects: { member: 'events', items: 100 },
})

const NAMED = `&streams=${encodeURIComponent(JSON.stringify(GUEST_STREAMS))}`

/** Returns rows that read the same 20 events by different accesses. */
function fewOfMany(
  id: string,
  caller: string,
  tokenOf: (owners: Owners) => string,
  named: string,
  like?: string,
): LoadRow[] {
  const base = { connections: 10, unit: 'req/s', bare: 'small', writes: false, expects: { member: 'events', items: 20 } } as const
  const row = (suffix: '' | '-cold', path: RequestSpec['path']): LoadRow => ({
    ...base,
    id: id + suffix,
    label: `events.get limit 20, ${caller}${suffix === '' ? '' : ', cold'}`,
    spec: (owners) => ({ token: tokenOf(owners), path }),
    ...(like === undefined ? {} : { target: { of: { row: like + suffix }, min: 0.85 } }),
  })
  return [
    row('', `librarian/events?limit=20${named}`),
    row('-cold', () => `librarian/events?limit=20${named}&fromTime=${timeOf(0)}&toTime=${lateTime()}`),
  ]
}

/** Returns a time in the later half of the events of the librarian. */
const lateTime = (): string => (timeOf(LIBRARY_EVENTS / 2) + (spread() * (timeOf(LIBRARY_EVENTS) - timeOf(0))) / 2).toFixed(3)

export const loadRows: readonly LoadRow[] = [
  creating(1),
  creating(10, { of: 'ratio', min: 0.25 }),
  creating(50),
  {
    ...creating(10),
    id: 'create-10-unaudited',
    label: 'events.create, 10 connections, audit off',
    settings: { COFFER_SET_AUDIT_ACTIVE: 'false' },
  },
  {
    id: 'batch',
    label: `batch of ${BATCH.toLocaleString('en')} creations`,
    connections: 1,
    unit: 'events/s',
    items: BATCH,
    spec: ({ writer }) => ({ verb: 'POST', path: 'writer', token: writer.token, body: creations() }),
    bare: 'same body',
    writes: true,
    expects: { member: 'results', items: BATCH },
    target: { of: 'figure', min: 6000 },
  },
  ...reading('get-20', 'limit=20', {
    unit: 'req/s',
    bare: 'small',
    expects: { member: 'events', items: 20 },
    target: { of: 'ratio', min: 0.4 },
  }),
  ...reading('get-1000', 'limit=1000', {
    unit: 'MB/s',
    bare: 'same size',
    expects: { member: 'events', items: 1000 },
    target: { of: 'figure', min: 60 },
  }),
  ...reading('get-10000', 'limit=10000', {
    unit: 'MB/s',
    bare: 'same size',
    expects: { member: 'events', items: 10_000 },
  }),
  filtering('filter', 'events.get stream, type, week', weekUntil(timeOf(EVENTS / 2))),
  filtering('filter-cold', 'events.get stream, type, week, cold', () => weekUntil(Number(nextTime()))),
  {
    id: 'upload',
    label: 'events.create with a file of 1 MB',
    connections: 4,
    unit: 'req/s',
    spec: ({ writer }) => upload(writer),
    bare: 'same bytes',
    writes: true,
  },
  {
    id: 'download',
    label: 'events.getAttachment, 1 MB',
    connections: 4,
    unit: 'MB/s',
    spec: ({ reader, file }) => ({ path: file, token: reader.token }),
    bare: 'same size',
    answerBytes: FILE_BYTES,
    writes: false,
  },
  {
    id: 'streams-summary',
    label: 'streams.summary, 20 streams, 100,000 events',
    connections: 10,
    unit: 'req/s',
    spec: ({ reader }) => ({ path: 'reader/streams/summary', token: reader.token }),
    bare: 'same size',
    writes: false,
  },
  {
    id: 'events-summary',
    label: 'events.summary, a week of a stream, 100 points',
    connections: 10,
    unit: 'req/s',
    spec: ({ reader }) => ({ path: () => `reader/events/summary?${weekBefore(nextTime())}`, token: reader.token }),
    bare: 'same size',
    writes: false,
  },
  {
    id: 'streams',
    label: 'streams.get, 100 streams',
    connections: 10,
    unit: 'req/s',
    spec: ({ gardener }) => ({ path: 'gardener/streams', token: gardener.token }),
    bare: 'small',
    writes: false,
  },
  {
    id: 'access-info',
    label: 'access-info',
    connections: 10,
    unit: 'req/s',
    spec: ({ reader }) => ({ path: 'reader/access-info', token: reader.token }),
    bare: 'small',
    writes: false,
  },
  {
    id: 'access-create',
    label: 'accesses.create',
    connections: 10,
    unit: 'req/s',
    spec: ({ writer }) => ({ verb: 'POST', path: 'writer/accesses', token: writer.token, body: newAccess }),
    bare: 'same body',
    writes: false,
  },
  ...fewOfMany('few-owner', 'owner reading 3 of 500 streams', ({ librarian }) => librarian.token, NAMED),
  ...fewOfMany('few-guest', 'access to 3 of 500 streams', ({ guest }) => guest.token, '', 'few-owner'),
]

/** The rows of the table that put load on the node: what is asked, by how many, and what it is held against. */
import {
  BATCH,
  BOOKS,
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
} from './account.js'
import type { Question } from './client.js'

/** Whose account a row works on. */
export interface Owners {
  /** Has 100,000 events in 20 streams. */
  reader: Owner
  /** Begins empty. */
  writer: Owner
  /** Has 100 streams. */
  gardener: Owner
  /** Has 500 streams with 20,000 events. */
  librarian: Owner
  /** May read three of the librarian's streams. */
  guest: Owner
  /** Path of a file of a megabyte that the reader has. */
  file: string
}

export type Unit = 'req/s' | 'events/s' | 'points/s' | 'MB/s'

export interface Target {
  /** Of the bare route's figure, the figure itself, or of the figure of a row before it, by its id. */
  of: 'ratio' | 'figure' | { row: string }
  least: number
}

/** `O`: what its question needs to know. */
export interface LoadRow<O = Owners> {
  id: string
  label: string
  connections: number
  unit: Unit
  /** Events or points that one request is about. */
  items?: number
  question(owners: O): Question
  /** What the bare route is asked; large answers are held against answers of the same size. */
  bare: 'same body' | 'same body, small answer' | 'same bytes' | 'small' | 'same size'
  /** Bytes of an answer that is not JSON. */
  answerBytes?: number
  /** Whether the row writes: then raw LevelDB is asked too. */
  writes: boolean
  /** How many items the answer must have. */
  expects?: { member: string; items: number }
  target?: Target
  /** Settings of the node that is asked, as its environment names them; such a row has a start of the node to itself. */
  settings?: Readonly<Record<string, string>>
}

/** A sequence in [0, 1) that never comes back to a value and leaves no gaps: multiples of the golden ratio. */
let step = 0
const spread = (): number => {
  step += 1
  return (step * 0.618_033_988_749_895) % 1
}

const DAY = 86_400
const DAYS = 12

/** A moment inside the account's time, at least 12 days after its beginning; another one each time. */
const moment = (): string => {
  const [from, to] = [timeOf(0) + DAYS * DAY, timeOf(EVENTS)]
  return (from + spread() * (to - from)).toFixed(3)
}

/** A query asked again and again, and one whose window moves, so that no answer can be remembered. */
function reading(id: string, query: string, more: Pick<LoadRow, 'unit' | 'bare' | 'expects' | 'target'>): LoadRow[] {
  const label = `events.get ${query.replace('=', ' ')}`
  const base = { ...more, connections: 10, writes: false }
  const warm: LoadRow = {
    ...base,
    id,
    label,
    question: ({ reader }) => ({ token: reader.token, path: `reader/events?${query}` }),
  }
  const cold: LoadRow = {
    ...base,
    id: `${id}-cold`,
    label: `${label}, cold`,
    question: ({ reader }) => ({ token: reader.token, path: () => `reader/events?${query}&${windowOf(query)}` }),
  }
  return [warm, cold]
}

/** A window that holds enough events: without fromTime it is a day, 1,440 events. */
function windowOf(query: string): string {
  const to = moment()
  return query.includes('10000') ? `fromTime=${timeOf(0)}&toTime=${to}` : `toTime=${to}`
}

const creating = (connections: number, target?: Target): LoadRow => ({
  id: `create-${connections}`,
  label: `events.create, ${connections} ${connections === 1 ? 'connection' : 'connections'}`,
  connections,
  unit: 'req/s',
  items: 1,
  question: ({ writer }) => ({ verb: 'POST', path: 'writer/events', token: writer.token, body: creation() }),
  bare: 'same body',
  writes: true,
  ...(target === undefined ? {} : { target }),
})

const FILTER = `streams=${streamIdOf(3)}&types=temperature/c&limit=100`
const WEEK = 7 * DAY

const weekUntil = (end: number): string =>
  `reader/events?${FILTER}&fromTime=${(end - WEEK).toFixed(3)}&toTime=${end.toFixed(3)}`

const filtering = (id: string, label: string, path: Question['path']): LoadRow => ({
  id,
  label,
  connections: 10,
  unit: 'req/s',
  question: ({ reader }) => ({ token: reader.token, path }),
  bare: 'small',
  writes: false,
  expects: { member: 'events', items: 100 },
})

const NAMED = `&streams=${encodeURIComponent(JSON.stringify(GUEST_STREAMS))}`

/** The same 20 events for everyone who asks. */
function fewOfMany(
  id: string,
  who: string,
  tokenOf: (owners: Owners) => string,
  named: string,
  like?: string,
): LoadRow[] {
  const base = { connections: 10, unit: 'req/s', bare: 'small', writes: false, expects: { member: 'events', items: 20 } } as const
  const row = (suffix: '' | '-cold', path: Question['path']): LoadRow => ({
    ...base,
    id: id + suffix,
    label: `events.get limit 20, ${who}${suffix === '' ? '' : ', cold'}`,
    question: (owners) => ({ token: tokenOf(owners), path }),
    ...(like === undefined ? {} : { target: { of: { row: like + suffix }, least: 0.85 } }),
  })
  return [
    row('', `librarian/events?limit=20${named}`),
    row('-cold', () => `librarian/events?limit=20${named}&fromTime=${timeOf(0)}&toTime=${lateMoment()}`),
  ]
}

/** A moment in the later half of the librarian's events. */
const lateMoment = (): string => (timeOf(BOOKS / 2) + (spread() * (timeOf(BOOKS) - timeOf(0))) / 2).toFixed(3)

export const loadRows: readonly LoadRow[] = [
  creating(1),
  creating(10, { of: 'ratio', least: 0.25 }),
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
    question: ({ writer }) => ({ verb: 'POST', path: 'writer', token: writer.token, body: creations() }),
    bare: 'same body',
    writes: true,
    expects: { member: 'results', items: BATCH },
    target: { of: 'figure', least: 6000 },
  },
  ...reading('get-20', 'limit=20', {
    unit: 'req/s',
    bare: 'small',
    expects: { member: 'events', items: 20 },
    target: { of: 'ratio', least: 0.4 },
  }),
  ...reading('get-1000', 'limit=1000', {
    unit: 'MB/s',
    bare: 'same size',
    expects: { member: 'events', items: 1000 },
    target: { of: 'figure', least: 60 },
  }),
  ...reading('get-10000', 'limit=10000', {
    unit: 'MB/s',
    bare: 'same size',
    expects: { member: 'events', items: 10_000 },
  }),
  filtering('filter', 'events.get stream, type, week', weekUntil(timeOf(EVENTS / 2))),
  filtering('filter-cold', 'events.get stream, type, week, cold', () => weekUntil(Number(moment()))),
  {
    id: 'upload',
    label: 'events.create with a file of 1 MB',
    connections: 4,
    unit: 'req/s',
    question: ({ writer }) => upload(writer),
    bare: 'same bytes',
    writes: true,
  },
  {
    id: 'download',
    label: 'events.getAttachment, 1 MB',
    connections: 4,
    unit: 'MB/s',
    question: ({ reader, file }) => ({ path: file, token: reader.token }),
    bare: 'same size',
    answerBytes: FILE_BYTES,
    writes: false,
  },
  {
    id: 'streams',
    label: 'streams.get, 100 streams',
    connections: 10,
    unit: 'req/s',
    question: ({ gardener }) => ({ path: 'gardener/streams', token: gardener.token }),
    bare: 'small',
    writes: false,
  },
  {
    id: 'access-info',
    label: 'access-info',
    connections: 10,
    unit: 'req/s',
    question: ({ reader }) => ({ path: 'reader/access-info', token: reader.token }),
    bare: 'small',
    writes: false,
  },
  {
    id: 'access-create',
    label: 'accesses.create',
    connections: 10,
    unit: 'req/s',
    question: ({ writer }) => ({ verb: 'POST', path: 'writer/accesses', token: writer.token, body: newAccess }),
    bare: 'same body',
    writes: false,
  },
  ...fewOfMany('few-owner', 'owner asking for 3 of 500 streams', ({ librarian }) => librarian.token, NAMED),
  ...fewOfMany('few-guest', 'access to 3 of 500 streams', ({ guest }) => guest.token, '', 'few-owner'),
]

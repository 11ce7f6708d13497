import { z } from 'zod'
import type { Account } from '../../store/account.js'
import type { Snapshot } from '../../store/database.js'
import { scanDeletions, type DeletionScan } from '../../store/deletionScan.js'
import { scanEvents, type EventScan } from '../../store/eventScan.js'
import { accessIdOf } from '../../store/model/access.js'
import { matchesConditions, parseConditions } from '../../store/model/conditions.js'
import { parseStreamsQuery, resolveStreamsQuery } from '../../store/model/streamsQuery.js'
import { method, type Call, type Result } from '../method.js'
import { completeList, RawList } from '../results.js'
import { accountStreamsOf } from '../accountStreams.js'
import { LARGEST_REMEMBERED } from './pageCache.js'
import { DeletionView, EventView } from './schema.js'

const MOST = 100000
const DEFAULT_LIMIT = 20
/** Answers of at most so many events are remembered. */
const MOST_REMEMBERED = 1000
const DAY = 86400
/** A window that opens later than this many seconds ago does not cover the present. */
const PRESENT = 5

const Query = z.strictObject({
  fromTime: z.number().optional(),
  toTime: z.number().optional(),
  streams: z.unknown().optional(),
  types: z.array(z.string().regex(/^(series:)?[a-z0-9-]+\/([a-z0-9-]+|\*)$/)).optional(),
  tags: z.array(z.string()).optional(),
  running: z.boolean().optional(),
  sortAscending: z.boolean().optional(),
  skip: z.int().min(0).max(MOST).optional(),
  limit: z.int().min(0).max(MOST).optional(),
  state: z.enum(['default', 'trashed', 'all']).optional(),
  modifiedSince: z.number().optional(),
  includeDeletions: z.boolean().optional(),
  content: z.unknown().optional(),
  clientData: z.unknown().optional(),
  auth: z.string().optional(),
})

type Asked = z.output<typeof Query>

/** Specification, "Data methods"; data supplement 2.2 to 2.4. */
export const get = method({
  id: 'events.get',
  summary: 'Finds events by streams, types, time, content and state.',
  http: { verb: 'GET', path: '/events' },
  query: {
    fromTime: 'number',
    toTime: 'number',
    types: 'array',
    tags: 'array',
    running: 'boolean',
    sortAscending: 'boolean',
    skip: 'number',
    limit: 'number',
    modifiedSince: 'number',
    includeDeletions: 'boolean',
  },
  input: Query,
  output: z.object({ events: z.array(EventView), eventDeletions: z.array(DeletionView).optional() }),
  fails: [
    'invalid-parameters-format',
    'invalid-request-structure',
    'unknown-referenced-resource',
    'forbidden',
    'too-many-results',
  ],
  run(call, asked) {
    const { skip = 0, sortAscending: ascending = false, modifiedSince } = asked
    const isBounded = asked.fromTime !== undefined || asked.toTime !== undefined
    const limit = asked.limit ?? (isBounded ? Infinity : DEFAULT_LIMIT)
    const slice = { skip, limit, ascending }
    const deletions: DeletionScan | undefined =
      asked.includeDeletions === true && modifiedSince !== undefined ? { since: modifiedSince, ...slice } : undefined
    // Without bounds on time an answer depends on nothing but the account's state and the access.
    const isSmall = limit <= Math.min(MOST_REMEMBERED, call.node.config.get('limits.batch.maxTotalItems'))
    if (isBounded || !isSmall) return listsOf(call.account, scanOf(call, asked, slice), deletions)
    return remembered(call, asked, slice, deletions)
  },
})

interface Slice {
  skip: number
  limit: number
  ascending: boolean
}

function remembered(call: Call, asked: Asked, slice: Slice, deletions: DeletionScan | undefined): Result {
  const { account, node, caller } = call
  const { version } = account
  const query = `${accessIdOf(caller.access)}/${JSON.stringify(asked)}`
  const known = node.pages.get(account, query)
  if (known === undefined) {
    const remember = (lists: readonly string[]): void => node.pages.put(account, query, version, lists)
    return listsOf(account, scanOf(call, asked, slice), deletions, remember)
  }
  const [events, deleted] = known
  const result: Result = { events: completeList([], events) }
  if (deleted !== undefined) result['eventDeletions'] = completeList([], deleted)
  return result
}

/**
 * The lists of an answer, read while it is sent. Both show one moment, that at which the first is begun: they are taken
 * one after the other, and the snapshot is closed after the last, or when one is left. `remember` gets both, each
 * joined by commas, when they are small.
 */
function listsOf(
  account: Account,
  scan: EventScan,
  deletions: DeletionScan | undefined,
  remember?: (lists: readonly string[]) => void,
): Result {
  let snapshot: Snapshot | undefined
  const lists: string[] = []
  async function* read(
    pages: (moment: Snapshot) => AsyncGenerator<string[]>,
    isLast: boolean,
  ): AsyncGenerator<string[]> {
    const moment = (snapshot ??= account.db.snapshot())
    let isRead = false
    try {
      yield* remember === undefined ? pages(moment) : noting(pages(moment), (joined) => void lists.push(joined))
      isRead = true
    } finally {
      if (isLast || !isRead) await moment.close()
    }
    if (isLast && lists.length === (deletions === undefined ? 1 : 2)) remember?.(lists)
  }
  const result: Result = {
    events: new RawList(read((moment) => scanEvents(account, scan, moment), deletions === undefined)),
  }
  if (deletions !== undefined) {
    result['eventDeletions'] = new RawList(read((moment) => scanDeletions(account, deletions, moment), true))
  }
  return result
}

/** Passes pages on, and tells at their end what they were together, unless that is too large to remember. */
async function* noting(pages: AsyncIterable<string[]>, note: (joined: string) => void): AsyncGenerator<string[]> {
  const records: string[] = []
  let size = 0
  for await (const page of pages) {
    for (const record of page) {
      size += record.length
      if (size <= LARGEST_REMEMBERED) records.push(record)
    }
    yield page
  }
  if (size <= LARGEST_REMEMBERED) note(records.join(','))
}

function scanOf(call: Call, asked: Asked, slice: Slice): EventScan {
  const { account, caller, node } = call
  const state = asked.state ?? 'default'
  const transport = call.origin.door === 'http' ? 'query' : 'json'
  const content = parseConditions(asked.content, 'content')
  const clientData = parseConditions(asked.clientData, 'clientData')
  const tags = asked.tags === undefined ? undefined : new Set(asked.tags)
  const scan: EventScan = {
    runningOnly: asked.running === true,
    streams: resolveStreamsQuery(parseStreamsQuery(asked.streams, transport), {
      scope: caller.scope,
      tree: account.tree,
      state,
      systemStreams: accountStreamsOf(node.systemStreams),
    }),
    state,
    ...slice,
  }
  const window = windowOf(asked, node.clock.now())
  if (window !== undefined) scan.window = window
  if (asked.types !== undefined) scan.types = typeFilter(asked.types)
  if (asked.modifiedSince !== undefined) scan.modifiedSince = asked.modifiedSince
  if (content.length > 0 || clientData.length > 0 || tags !== undefined) {
    scan.accepts = (event) =>
      matchesConditions(content, event.content) &&
      matchesConditions(clientData, event.clientData) &&
      (tags === undefined || event.tags.some((tag) => tags.has(tag)))
  }
  return scan
}

function windowOf(asked: Asked, now: number): EventScan['window'] {
  if (asked.fromTime === undefined && asked.toTime === undefined) return undefined
  const to = asked.toTime ?? now
  const from = asked.fromTime ?? to - DAY
  return { from, to, includeRunning: from <= now - PRESENT && to >= now - PRESENT }
}

function typeFilter(types: readonly string[]): (type: string) => boolean {
  const exact = new Set(types.filter((type) => !type.endsWith('/*')))
  const classes = types.filter((type) => type.endsWith('/*')).map((type) => type.slice(0, -1))
  return (type) => exact.has(type) || classes.some((prefix) => type.startsWith(prefix))
}

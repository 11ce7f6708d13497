/** Numbers and latest events of streams, for the tree and for pages that say what an action means. */
import { summary } from '../../../api/streams/summary.js'
import { resultText } from '../../../call/results.js'
import type { OwnVisit } from '../../page.js'
import { callAsOwner } from '../../session.js'
import { soon } from '../soon.js'

export interface StreamSummary {
  id: string
  /** Number of events in the stream itself. */
  events: number
  /** Number of trashed events in the stream itself. */
  trashed: number
  /** Number of events in the stream and below it. */
  total: number
  last?: { id: string; type: string; time: number; content?: unknown }
}

export type Summaries = ReadonlyMap<string, StreamSummary>

const MAX_STREAMS = 100_000
/** Maximum number of accesses of an account whose answers are in memory. */
const MAX_ACCESSES = 8

/** Answers of an account at a version, or the call that is under way. */
interface Known {
  version: number
  answer: Promise<Summaries>
  /** The latest complete answer, possibly of an earlier version. */
  latest?: Summaries
}

/** Answers by the access that asked, for as long as its account is loaded. */
const known = new WeakMap<object, Map<string, Known>>()

export interface LoadedSummaries {
  /** Absent before the first count; of an earlier state while the account is being counted again. */
  summaries?: Summaries
  /** True while the account is being counted. */
  isPending: boolean
}

/** Returns the summaries of all streams, trashed ones included. Requests during a count share it. */
export async function loadSummaries(visit: OwnVisit): Promise<LoadedSummaries> {
  const entry = entryOf(visit)
  const summaries = await soon(entry.answer, visit)
  if (summaries !== undefined) return { summaries, isPending: false }
  return { ...(entry.latest === undefined ? {} : { summaries: entry.latest }), isPending: true }
}

function entryOf(visit: OwnVisit): Known {
  const { account, caller } = visit.session
  const { version } = account
  const { id, modified } = caller.access
  const access = `${id}/${modified}`
  const entries = known.get(account) ?? new Map<string, Known>()
  known.set(account, entries)
  const before = entries.get(access)
  if (before?.version === version) return before
  const answer = readSummaries(visit)
  const entry: Known = { version, answer, ...(before?.latest === undefined ? {} : { latest: before.latest }) }
  if (entries.size >= MAX_ACCESSES) entries.clear()
  entries.set(access, entry)
  answer.then(
    (summaries) => (entry.latest = summaries),
    () => entries.delete(access),
  )
  return entry
}

async function readSummaries(visit: OwnVisit): Promise<Summaries> {
  const text = await resultText(await callAsOwner(visit, visit.session, summary, { state: 'all' }), MAX_STREAMS)
  const { streams } = JSON.parse(text) as { streams: StreamSummary[] }
  return new Map(streams.map((stream) => [stream.id, stream]))
}

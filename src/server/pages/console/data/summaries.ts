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

/** Parsed answers of accounts: most pages of an account find the same one. */
const parsed = new WeakMap<object, { text: string; summaries: Summaries }>()

/** Returns the summaries of all streams, trashed ones included; undefined while the events of the account are being counted. */
export const loadSummaries = (visit: OwnVisit): Promise<Summaries | undefined> => soon(readSummaries(visit))

async function readSummaries(visit: OwnVisit): Promise<Summaries> {
  const { session } = visit
  const text = await resultText(await callAsOwner(visit, session, summary, { state: 'all' }), MAX_STREAMS)
  const known = parsed.get(session.account)
  if (known?.text === text) return known.summaries
  const { streams } = JSON.parse(text) as { streams: StreamSummary[] }
  const summaries = new Map(streams.map((stream) => [stream.id, stream]))
  parsed.set(session.account, { text, summaries })
  return summaries
}

/** Export lines of streams, events, earlier versions and deletions. */
import { isCounter } from '../../store/model/systemStreams.js'
import { each } from '../../store/engine/database.js'
import { findDeletion } from '../../store/events/events.js'
import { accountKeys, ORDERED_LENGTH, under } from '../../store/engine/keys.js'
import type { EventRemains } from '../../store/model/event.js'
import { recordId, recordIsOfAccount, recordToEvent } from '../../store/model/eventRecord.js'
import { createYielder } from '../../store/engine/yield.js'
import { eachVersion } from '../../sync/digest/readVersions.js'
import type { Stream, StreamDeletion } from '../../store/model/stream.js'
import { createTree } from '../../store/model/tree.js'
import type { Export } from './exportContext.js'
import type { HistoryLine } from './format.js'

/** Yields streams, parents before children. */
export async function* streamLines(from: Export): AsyncGenerator<string> {
  const streams: Stream[] = []
  const all = under(accountKeys.streams(from.account.prefix))
  for await (const text of each(from.source.db.values(all, {}, from.snapshot))) streams.push(JSON.parse(text) as Stream)
  const tree = createTree(streams)
  // Children of built-in streams are roots in the archive.
  const waiting = tree.childrenOf(null).concat(streams.filter(({ parentId }) => parentId !== null && !tree.has(parentId)))
  const written = new Set<string>()
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (written.has(next.id)) continue
    written.add(next.id)
    from.count('streams')
    yield JSON.stringify(next)
    waiting.push(...tree.childrenOf(next.id))
  }
}

/** Yields events by time as in API responses, each attachment with the SHA-256 of its bytes. */
export async function* eventLines(from: Export): AsyncGenerator<string> {
  const { reader, account, source, snapshot } = from
  const a = account.prefix
  for await (const record of each(source.db.values(under(accountKeys.events(a)), {}, snapshot))) {
    if (!recordIsOfAccount(record)) from.count('events')
    if (!record.includes(',"attachments":[')) {
      yield record
      continue
    }
    const event = recordToEvent(record)
    if (event.attachments === undefined) {
      yield record
      continue
    }
    from.count('attachments', event.attachments.length)
    const attachments = event.attachments.map((file) => {
      const sha256 = reader.get(accountKeys.fileDigest(a, event.id, file.id))
      return sha256 === undefined ? file : { ...file, sha256 }
    })
    yield JSON.stringify({ ...event, attachments })
  }
}

/** Maximum milliseconds of work before other tasks run: the node may be serving calls. */
const SLICE_MS = 8

/** Yields earlier versions of live events, by their changes, then retained versions of deleted events. */
export async function* historyLines(from: Export): AsyncGenerator<string> {
  const { source, snapshot, reader, account } = from
  const a = account.prefix
  const pause = createYielder(SLICE_MS)
  for await (const record of each(source.db.values(under(accountKeys.events(a)), {}, snapshot))) {
    const event = recordId(record)
    // The importing node rebuilds the node's counters. An event that never changed has no change log.
    if (isCounter(event) || reader.getBytes(accountKeys.docState(a, `e${event}`)) === undefined) continue
    for await (const { event: version, isStamped } of eachVersion({ db: reader, prefix: a }, event, pause)) {
      from.count('eventVersions')
      yield JSON.stringify({ event, version, ...(isStamped ? { stamped: true } : {}) } satisfies HistoryLine)
    }
  }
  const all = accountKeys.versions(a, '').slice(0, -1)
  for await (const [key, text] of each(source.db.entries(under(all), {}, snapshot))) {
    const event = key.slice(all.length, -ORDERED_LENGTH - 1)
    if (findDeletion(reader, a, event) === undefined) continue
    const version = JSON.parse(text) as EventRemains & { streamId?: string }
    delete version.streamId
    from.count('eventVersions')
    yield JSON.stringify({ event, version } satisfies HistoryLine)
  }
}

/** Yields deleted events, with their retained fields, and deleted streams. */
export async function* deletionLines(from: Export): AsyncGenerator<string> {
  const a = from.account.prefix
  const { db } = from.source
  for await (const text of each(db.values(under(accountKeys.streamDeletions(a)), {}, from.snapshot))) {
    const stream = JSON.parse(text) as StreamDeletion
    from.count('streamDeletions')
    yield JSON.stringify({ stream })
  }
  const all = accountKeys.eventDeletions(a)
  for await (const key of each(db.keys(under(all), {}, from.snapshot))) {
    const deletion = from.reader.get(accountKeys.eventPlace(a, key.slice(all.length + ORDERED_LENGTH)))
    if (deletion === undefined) continue
    from.count('eventDeletions')
    yield `{"event":${deletion}}`
  }
}

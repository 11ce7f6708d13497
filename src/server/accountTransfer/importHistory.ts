/**
 * Imports earlier versions. Those of live events are written as changes, so that history and sync work as usual; those of
 * deleted events are stored as they are.
 */
import * as z from 'zod'
import { appendVersion, putVersions } from '../../store/events/events.js'
import type { EventVersion } from '../../store/model/event.js'
import { isAccountStreamId } from '../../store/model/slug.js'
import { isCounter } from '../../store/model/systemStreams.js'
import type { Import } from './importContext.js'
import { idIn } from './report.js'
import { readAs, readEvent, readFieldEvent, readRemains, type ParsedItem } from './shapes.js'

const FILE = 'history.ndjson'
const HistoryLine = z.strictObject({ event: z.string().max(300), version: z.unknown(), stamped: z.literal(true).optional() })

/** Maximum number of versions written at once. */
const MAX_AT_ONCE = 200
const MAX_BYTES_AT_ONCE = 1024 * 1024

export async function importHistory(work: Import): Promise<void> {
  const { lines, target, report, count } = work
  // The following reads live and deleted items from the store.
  await target.flush()
  const done = new Set<string>()
  let history: History | undefined
  for await (const { number, value } of lines(FILE)) {
    const read = readAs(HistoryLine, value)
    if ('refused' in read) {
      report.refuse({ file: FILE, line: number }, read.refused)
      continue
    }
    const { event, version, stamped } = read.item
    const place = { file: FILE, line: number, id: event }
    if (isCounter(event)) continue
    const refused = idIn(version).id !== event ? 'The version belongs to another event.' : target.hasEvent(event) ? undefined : 'The event does not exist.'
    if (refused !== undefined) {
      report.refuse(place, refused)
      continue
    }
    if (target.isDeleted(event)) {
      const remains = readRemains(version)
      if ('refused' in remains) report.refuse(place, remains.refused)
      else {
        await target.add((t) => appendVersion(t, remains.item), JSON.stringify(version).length)
        count('eventVersions')
      }
      continue
    }
    const found = readVersion(work, event, version)
    if ('refused' in found) report.refuse(place, found.refused)
    else if (history?.event !== event && done.has(event)) report.refuse(place, 'The versions of the event are not contiguous.')
    else {
      if (history?.event !== event) {
        await history?.end()
        history = new History(work, event)
        done.add(event)
      }
      await history.add({ event: found.item, isStamped: stamped === true }, JSON.stringify(version).length)
      count('eventVersions')
    }
  }
  await history?.end()
}

/** Parses an earlier version of a live event, validated like an event. */
function readVersion({ node, types }: Import, id: string, value: unknown): ParsedItem<EventVersion['event']> {
  const read = isAccountStreamId(id) ? readFieldEvent(value) : readWhole(value, types)
  if ('refused' in read) return read
  const event = read.item
  const field = isAccountStreamId(id) ? node.systemStreams.byStream(id) : undefined
  if (field !== undefined && (event.type !== field.type || event.streamIds.join() !== id)) return { refused: 'Unknown account field on this node.' }
  return { item: event }
}

function readWhole(value: unknown, types: Import['types']): ParsedItem<EventVersion['event']> {
  const read = readEvent(value, types)
  return 'refused' in read ? read : { item: read.item.event }
}

/** Earlier versions of one event, written in batches. */
class History {
  readonly event: string
  readonly #work: Import
  #waiting: EventVersion[] = []
  #bytes = 0
  /** The last version written. */
  #former: EventVersion | undefined

  constructor(work: Import, event: string) {
    this.#work = work
    this.event = event
  }

  async add(version: EventVersion, bytes: number): Promise<void> {
    this.#waiting.push(version)
    this.#bytes += bytes
    if (this.#waiting.length >= MAX_AT_ONCE || this.#bytes >= MAX_BYTES_AT_ONCE) await this.#write(false)
  }

  /** Writes the change from the last version to the current event. */
  async end(): Promise<void> {
    await this.#write(true)
  }

  async #write(isLast: boolean): Promise<void> {
    const { event } = this
    const [former, versions, bytes] = [this.#former, this.#waiting, this.#bytes]
    this.#former = versions.at(-1) ?? former
    this.#waiting = []
    this.#bytes = 0
    const { target, node } = this.#work
    await target.add((t) => putVersions(t, node.store.recorder, event, { former, versions, isLast }), bytes + 300)
  }
}

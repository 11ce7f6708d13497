/**
 * Derives ids for events without one from their content, so that importing the same file again finds the same events.
 * Equal rows of a file are distinguished by a counter.
 */
import { hash } from 'node:crypto'
import { isReservedForNode } from '../../../../store/model/cmc.js'
import { EVENT_ID } from '../../../../store/model/event.js'
import { MAX_ID_LENGTH } from '../../../../store/model/slug.js'
import { stableText } from '../../../../store/model/integrity.js'
import { createDigestCounter } from './seen.js'

const symbols = 'abcdefghijklmnopqrstuvwxyz0123456789'

/** Fields that identify an event without an id. */
interface EventIdInput {
  streamIds: readonly string[]
  type: string
  /** Seconds; undefined when the node sets the time. */
  time: unknown
  content: unknown
}

/** Assigns the event ids of one import. */
export interface EventIds {
  /** Returns the given id if the API accepts it, else an id derived from it and from the streams. */
  given(id: string, streamIds: readonly string[]): string
  /** Returns the id for the next occurrence of the same fields. */
  derived(input: EventIdInput): string
}

export function createEventIds(): EventIds {
  const seen = createDigestCounter()
  return {
    given: (id, streamIds) => (isValidId(id) ? id : idOf(sha256(stableText(['id', streamIds, id])))),
    derived({ streamIds, type, time, content }) {
      const text = stableText(['event', streamIds, type, time, content])
      const digest = sha256(text)
      const before = seen.count(digest)
      return idOf(before === 0 ? digest : sha256(`${text} ${before}`))
    },
  }
}

const isValidId = (id: string): boolean => id.length <= MAX_ID_LENGTH && EVENT_ID.test(id) && !isReservedForNode(id)

const sha256 = (text: string): Buffer => hash('sha256', text, 'buffer')

/** Returns `c` and 24 letters and digits. */
function idOf(digest: Buffer): string {
  let id = 'c'
  for (let at = 0; at < 24; at++) id += symbols.charAt((digest[at] ?? 0) % symbols.length)
  return id
}

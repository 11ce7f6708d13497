/** Merges points of a series received from another node. */
import type { Transaction } from '../../store/engine/account.js'
import { findDeletion, findRecord } from '../../store/events/events.js'
import { recordType } from '../../store/model/eventRecord.js'
import { isSeriesType, type SeriesFields } from '../../store/model/eventTypes/series.js'
import { pointsFault } from '../../store/model/eventTypes/seriesPoints.js'
import { SegmentDamaged } from '../../store/series/bytes.js'
import { readPiece, receivePoints, type ReadPiece } from '../../store/series/receivePoints.js'
import type { Outcome, SeriesEntry } from '../wire/entry.js'
import { refused, type MergeSource } from './context.js'

const ACTOR = /^[\w-]{1,32}$/
/** Upper bound of timestamps: later than any clock, with room for subsequent writes. */
const LATEST = 2 ** 52
/** Maximum number of segments of an entry. */
const MAX_SEGMENTS = 4096

/**
 * Merges points. `fieldsOf` returns the fields of a series type, undefined for other types. The outcome is `incomplete` when
 * the event or earlier points are missing. The caller checks that the peer may write the event. Refused: `damaged` for
 * segments that cannot be read or do not match the entry; `invalid` for points that the series cannot have; `too-large` for
 * too many at once.
 */
export function mergeSeries(
  t: Transaction,
  entry: SeriesEntry,
  from: MergeSource,
  fieldsOf: (type: string) => SeriesFields | undefined,
): Outcome {
  const { id, actor, after, upTo, segments } = entry
  const record = findRecord(t, t.account, id)
  if (record === undefined) return { is: findDeletion(t, t.account, id) === undefined ? 'incomplete' : 'known' }
  const type = recordType(record)
  if (!isSeriesType(type)) return refused('invalid', 'Its event is not a series.')
  const isRange = isStamp(after) && isStamp(upTo) && after < upTo
  if (!ACTOR.test(actor) || !isRange || segments.length > MAX_SEGMENTS) {
    return refused('damaged', 'Its points have no valid process id or time range.')
  }
  const fields = fieldsOf(type)
  if (fields === undefined) return refused('invalid', `Unknown series type "${type}".`)
  const piece = pieceOf(entry)
  if (piece === undefined) return refused('too-large', 'It has too many points for one message.')
  if (typeof piece === 'string') return refused('damaged', piece)
  for (const one of piece.decoded) {
    const fault = pointsFault(one, fields)
    if (fault !== undefined) return refused('invalid', fault)
  }
  return { is: receivePoints(t, id, piece, from.peer) }
}

const isStamp = (time: number): boolean => Number.isSafeInteger(time) && time >= 0 && time < LATEST

function pieceOf(entry: SeriesEntry): ReadPiece | string | undefined {
  try {
    return readPiece(entry)
  } catch (error) {
    if (error instanceof SegmentDamaged || error instanceof RangeError) return error.message
    throw error
  }
}

/** Encodes the points of large bodies before the transaction that stores them, since other transactions wait for it. */
import { Failure } from '../../../store/model/failure.js'
import { PointColumns, readFlatJson, type SeriesShape } from '../../../store/model/flatJson.js'
import { createYielder } from '../../../store/engine/yield.js'
import type { Points } from '../../../store/model/points.js'
import { preparePoints, type PreparedPoints } from '../../../store/series/series.js'
import type { Call } from '../../call/method.js'
import { writableShape } from './holder.js'

/** Smaller bodies are encoded within the transaction: that takes less than two milliseconds. */
const MIN_PREPARED = 8192
/** Points read between two yields: two or three milliseconds. */
const READ_AT_ONCE = 65_536
const TURN_MS = 5

/** Points parsed with the shape of their series. */
export interface ReadPoints {
  shape: SeriesShape
  points: PreparedPoints
}

/** A body with enough points to be prepared. */
interface LargeBody {
  points: PointColumns
}

export const isLarge = (body: unknown): body is LargeBody =>
  typeof body === 'object' && body !== null && 'points' in body && body.points instanceof PointColumns && body.points.count >= MIN_PREPARED

/**
 * Parses and encodes the points of a large body with the current shape of its series. Undefined when invalid: the
 * transaction reports the failure in its own order of checks.
 */
export async function prepared(call: Call, id: string, body: LargeBody): Promise<ReadPoints | undefined> {
  try {
    const shape = writableShape(call, call.account.db, id)
    const { points } = body
    const pause = createYielder(TURN_MS)
    const parts: Points[] = []
    for (let at = 0; at < points.count; at += READ_AT_ONCE) {
      parts.push(readFlatJson({ ...body, points: points.slice(at, at + READ_AT_ONCE) }, shape))
      const due = pause()
      if (due !== undefined) await due
    }
    return { shape, points: await preparePoints(parts, pause) }
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

/** Returns the points of a body, prepared ones when the shape is unchanged. @throws Failure as `readFlatJson` */
export function pointsOf(body: unknown, shape: SeriesShape, read: ReadPoints | undefined): Points | PreparedPoints {
  const isSame = read !== undefined && read.shape.time === shape.time && read.shape.fields === shape.fields
  return isSame ? read.points : readFlatJson(body, shape)
}

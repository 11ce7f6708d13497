/** Encodes the points of large bodies before the transaction that stores them: others wait for it. */
import { Failure } from '../../store/model/failure.js'
import { PointColumns, readFlatJson, type SeriesShape } from '../../store/model/flatJson.js'
import { createYielder } from '../../store/engine/yield.js'
import type { Points } from '../../store/model/points.js'
import { preparePoints, type PreparedPoints } from '../../store/series/series.js'
import type { Call } from '../method.js'
import { writableShape } from './holder.js'

/** Fewer points are encoded within a transaction: that takes less than two milliseconds. */
const MIN_PREPARED = 8192
/** Points that are read between two looks at the clock: two or three milliseconds. */
const READ_AT_ONCE = 65_536
const TURN_MS = 5

/** Points that were read by a shape of their series. */
export interface ReadPoints {
  shape: SeriesShape
  points: PreparedPoints
}

/** A body with so many points that they are prepared. */
interface LargeBody {
  points: PointColumns
}

export const isLarge = (body: unknown): body is LargeBody =>
  typeof body === 'object' && body !== null && 'points' in body && body.points instanceof PointColumns && body.points.count >= MIN_PREPARED

/**
 * Reads and encodes the points of a large body by the shape that its series has now. Undefined for what is refused: the
 * transaction refuses it again, after all else that it looks at.
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

/** The points of a body, as they were prepared where that was by the same shape. @throws Failure as `readFlatJson` */
export function pointsOf(body: unknown, shape: SeriesShape, read: ReadPoints | undefined): Points | PreparedPoints {
  const isSame = read !== undefined && read.shape.time === shape.time && read.shape.fields === shape.fields
  return isSame ? read.points : readFlatJson(body, shape)
}

/** Stores the points of a call, and marks the duration of the event for an update. */
import type { Transaction } from '../../../store/engine/account.js'
import { nodeKeys } from '../../../store/engine/keys.js'
import type { Points } from '../../../store/model/points.js'
import { writePoints, type PreparedPoints } from '../../../store/series/series.js'
import type { Call } from '../../call/method.js'

/** Stages points of a series; the list may be empty. */
export function storePoints({ node }: Call, t: Transaction, event: string, points: Points | PreparedPoints): void {
  if (('pieces' in points ? points.pieces : points.deltaTimes).length === 0) return
  writePoints(t, event, points, node.clock.now())
  const due = nodeKeys.seriesDue(t.account, event)
  if (t.get(due) === undefined) t.put(due, '')
}

/** Time window of reads of a series (docs/interface/series.md#reading). */
import * as z from 'zod'
import { invalidFormat } from '../../../store/model/failure.js'
import type { Call } from '../../call/method.js'

/** Parameters of a window. */
export const windowShape = {
  fromDeltaTime: z.number().optional().describe('First time to return, in seconds after the time of the event; default 0.'),
  toDeltaTime: z.number().optional().describe('Last time to return, in seconds after the time of the event; default now.'),
}

interface WindowInput {
  fromDeltaTime?: number | undefined
  toDeltaTime?: number | undefined
}

/** @throws Failure `invalid-parameters-format` for a window that ends before it begins */
export function assertWindow({ fromDeltaTime: from, toDeltaTime: to }: WindowInput): void {
  if (from === undefined || to === undefined || to >= from) return
  const message = 'toDeltaTime must not be before fromDeltaTime.'
  throw invalidFormat([{ code: 'MINIMUM', message, path: '#/toDeltaTime', params: [from] }])
}

/** Returns the window, without its end; by default from the time of the event to now. `time` is that of the event. */
export const seriesWindow = ({ node }: Call, time: number, { fromDeltaTime: from, toDeltaTime: to }: WindowInput): { from: number; to: number } => ({
  from: from ?? 0,
  // Points of the current millisecond, the clock's resolution, are not in the future.
  to: to ?? node.clock.now() + 0.001 - time,
})

/** Stream for events whose own streams were deleted on another node, so that they stay visible. */
import type { Stream } from './stream.js'

export const RECOVERED = 'recovered'

/** Creates the stream, after `times` deletions, with equal bytes on every node so that replicas merge to one change. */
export const recoveredStream = (times: number): Stream => ({
  id: RECOVERED,
  name: RECOVERED,
  parentId: null,
  created: times,
  createdBy: 'system',
  modified: times,
  modifiedBy: 'system',
})

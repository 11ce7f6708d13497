/** The stream that shows events whose own streams were deleted elsewhere: nothing that a person recorded disappears. */
import type { Stream } from './stream.js'

export const RECOVERED = 'recovered'

/** The stream as every node makes it, after it was deleted `times` times: equal bytes merge to one change. */
export const recoveredStream = (times: number): Stream => ({
  id: RECOVERED,
  name: RECOVERED,
  parentId: null,
  created: times,
  createdBy: 'system',
  modified: times,
  modifiedBy: 'system',
})

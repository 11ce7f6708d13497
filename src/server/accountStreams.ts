/** The account streams in the shape that streams queries ask for. */
import type { AccountStreams } from '../store/model/streamsExpansion.js'
import { ACCOUNT_ROOT, type SystemStreams } from '../store/model/systemStreams.js'

const known = new WeakMap<SystemStreams, AccountStreams>()

export function accountStreamsOf(systemStreams: SystemStreams): AccountStreams {
  let adapted = known.get(systemStreams)
  if (adapted === undefined) {
    const displayed = new Set(systemStreams.shownStreams)
    adapted = {
      isReadable: (id) => displayed.has(id),
      known: (id) => id === ACCOUNT_ROOT || systemStreams.byStream(id) !== undefined,
      all: systemStreams.shownStreams,
    }
    known.set(systemStreams, adapted)
  }
  return adapted
}

/** Adapts the account streams to the interface of streams queries. */
import type { AccountStreams } from '../../../store/model/streamsExpansion.js'
import { ACCOUNT_ROOT, type SystemStreams } from '../../../store/model/systemStreams.js'

const known = new WeakMap<SystemStreams, AccountStreams>()

export function accountStreamsOf(systemStreams: SystemStreams): AccountStreams {
  let adapted = known.get(systemStreams)
  if (adapted === undefined) {
    const visible = new Set(systemStreams.shownStreams)
    adapted = {
      isReadable: (id) => visible.has(id),
      known: (id) => id === ACCOUNT_ROOT || systemStreams.byStream(id) !== undefined,
      all: systemStreams.shownStreams,
    }
    known.set(systemStreams, adapted)
  }
  return adapted
}

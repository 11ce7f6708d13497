/** The integrity of events, as far as it is on (specification, "Event"). */
import type { Event } from '../store/model/event.js'
import { eventIntegrity } from '../store/model/integrity.js'
import type { Node } from './node.js'

/** The event with its integrity, as far as integrity is on. */
export function withIntegrity<E extends Event>(call: { node: Pick<Node, 'config'> }, event: E): E {
  const { config } = call.node
  if (!config.get('integrity.isActive.events')) return event
  event.integrity = eventIntegrity(event, config.get('integrity.algorithm'))
  return event
}

/** The integrity of events, as far as it is on (specification, "Event"). */
import type { Event } from '../store/model/event.js'
import { eventIntegrity } from '../store/model/integrity.js'
import { applyStableTexts, type StableTexts } from './json/stableTexts.js'
import type { Node } from './node.js'

/**
 * The event with its integrity, as far as integrity is on. With `known`, large values of which no stable text is known
 * make it throw UnknownStableTexts, for `withStableTexts` to have them made beside the event loop.
 */
export function withIntegrity<E extends Event>(call: { node: Pick<Node, 'config'> }, event: E, known?: StableTexts): E {
  const { config } = call.node
  if (!config.get('integrity.isActive.events')) return event
  if (known !== undefined) applyStableTexts(event, known)
  event.integrity = eventIntegrity(event, config.get('integrity.algorithm'))
  return event
}

/** Computes the integrity hash of events, if enabled (docs/interface/integrity.md). */
import type { Event } from '../store/model/event.js'
import { eventIntegrity } from '../store/model/integrity.js'
import { applyStableTexts, type StableTexts } from './json/stableTexts.js'
import type { Context } from './context.js'

/**
 * Sets the integrity hash of an event, if enabled. With `known`, throws UnknownStableTexts for large values without a known
 * stable text, so that `withStableTexts` computes them outside of the event loop.
 */
export function withIntegrity<E extends Event>(call: { node: Pick<Context, 'config'> }, event: E, known?: StableTexts): E {
  const { config } = call.node
  if (!config.get('integrity.isActive.events')) return event
  if (known !== undefined) applyStableTexts(event, known)
  event.integrity = eventIntegrity(event, config.get('integrity.algorithm'))
  return event
}

/** Computes the integrity hashes of events and accesses, if enabled (docs/interface/integrity.md). */
import type { Access } from '../../../store/model/access.js'
import type { Event } from '../../../store/model/event.js'
import { accessIntegrity, eventIntegrity } from '../../../store/model/integrity.js'
import type { Secret } from '../../../store/model/secret.js'
import { applyStableTexts, type StableTexts } from '../../call/json/stableTexts.js'
import type { Context } from '../../call/context.js'

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

/** Returns the access with its current integrity hash. */
export function withAccessIntegrity<A extends Access>(node: Pick<Context, 'config'>, access: A, token: Secret<string>): A {
  const { integrity: _former, ...rest } = access
  const bare = rest as A
  if (!node.config.get('integrity.isActive.accesses')) return bare
  const integrity = accessIntegrity({ ...bare, token: token.reveal() }, node.config.get('integrity.algorithm'))
  return { ...bare, integrity }
}

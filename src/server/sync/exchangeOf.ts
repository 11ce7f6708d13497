/** The exchange of a node: merging keeps items as the node's own methods do. */
import { createMerger } from '../../sync/merge/merge.js'
import type { Node } from '../node.js'
import { createExchange, type Exchange } from './exchange.js'

export function exchangeOf(node: Node): Exchange {
  const { store, config, log, clock, newId } = node
  const now = (): number => clock.now()
  const merger = createMerger({ store, now })
  return createExchange({ store, merger, config, log, now, newId })
}

/** The `meta` member of answers (data supplement 1.2). */
import type { Node } from './node.js'

/** Returns the `meta` object as JSON text. */
export function metaOf(node: Node): string {
  return `{"apiVersion":"${node.apiVersion}","serverTime":${node.clock.now()},"serial":${node.serial()}}`
}

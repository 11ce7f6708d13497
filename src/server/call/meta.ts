/** The `meta` member of answers (docs/interface/conventions.md#meta). */
import type { Clock } from '../base/clock.js'

/** Needed by functions that describe the API: headers, `meta`, service information. */
export interface MetaDeps {
  /** Version of the API: `API-Version`, `meta.apiVersion`, service info. */
  readonly apiVersion: string
  /** Returns the serial of the service information as JSON text, included in every answer. */
  serial(): string
}

/** Returns the `meta` object as JSON text. */
export function metaOf(node: MetaDeps & { readonly clock: Clock }): string {
  return `{"apiVersion":"${node.apiVersion}","serverTime":${node.clock.now()},"serial":${node.serial()}}`
}

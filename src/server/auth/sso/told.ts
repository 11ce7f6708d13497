/** What a page is told that somebody comes back to from a third party. */
import type { Node } from '../../node.js'
import type { Refusal } from './link.js'
import type { SignedIn } from './session.js'

export type Told = (SignedIn | { ssoError: Refusal }) & { ssoReturn?: string }

const PLACE = 'what came of a third party'

/** What the node's own page is told, as nobody else can read or make it. */
export const sealedTold = ({ store }: Pick<Node, 'store'>, told: Told): string => store.seal.seal(JSON.stringify(told), PLACE)

/** The same, read; undefined for what is none. */
export function readTold({ store }: Pick<Node, 'store'>, sealed: string): Told | undefined {
  try {
    return JSON.parse(store.seal.open(sealed, PLACE)) as Told
  } catch {
    return undefined
  }
}

/**
 * The marks of changes that a side of a share made for the other: they name the version of its own item that they show,
 * by the last change of each process. So every node of the same account knows what a change of another one stands for.
 * They name no hashes: a hash of what is not shared would let guesses be verified.
 */
import type { ReadChange } from '../readChange.js'
import type { Scope } from '../peers/peer.js'

/** Which side of a share made a change: the one that grants it, or the other. */
export type Side = 'host' | 'guest'

export const sideOf = (scope: Extract<Scope, { is: 'share' }>): Side => (scope.grantor === 'us' ? 'host' : 'guest')

const nameOf = ({ actor, seq }: Pick<ReadChange, 'actor' | 'seq'>): string => `${actor}.${seq}`

/** The mark of a change that shows the version with some latest changes. */
export const markOf = (side: Side, heads: readonly ReadChange[]): string => [side, ...heads.map(nameOf).sort()].join(' ')

/** Whether a side made a change for the other. */
export const isMarked = ({ message }: ReadChange, side: Side): boolean => message.startsWith(`${side} `)

/** The hashes of the version that a marked change shows; undefined when not all of it is among `own`. */
export function versionOf({ message }: ReadChange, own: ReadonlyMap<string, ReadChange>): string[] | undefined {
  const names = new Set(message.split(' ').slice(1))
  const found = [...own.values()].filter((change) => names.has(nameOf(change))).map(({ hash }) => hash)
  return found.length === names.size && found.length > 0 ? found : undefined
}

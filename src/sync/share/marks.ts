/**
 * Marks of changes that one side of a share makes for the other. They name the version of its own item by the last change
 * number of each process, so that every node of the account can resolve them. They contain no hashes: a hash of private
 * data would let guesses be verified.
 */
import type { ReadChange } from '../crdt/parseChange.js'
import type { Scope } from '../peers/peer.js'

/** Side of a share that made a change: the grantor or the other. */
export type Side = 'host' | 'guest'

export const sideOf = (scope: Extract<Scope, { is: 'share' }>): Side => (scope.grantor === 'us' ? 'host' : 'guest')

const nameOf = ({ actor, seq }: Pick<ReadChange, 'actor' | 'seq'>): string => `${actor}.${seq}`

/** Encodes the mark of a change that shows the version with these heads. */
export const markOf = (side: Side, heads: readonly ReadChange[]): string => [side, ...heads.map(nameOf).sort()].join(' ')

/** Checks that a given side made a change for the other. */
export const isMarked = ({ message }: ReadChange, side: Side): boolean => message.startsWith(`${side} `)

/** Returns the hashes of the version that a marked change shows; undefined when `own` lacks part of it. */
export function versionOf({ message }: ReadChange, own: ReadonlyMap<string, ReadChange>): string[] | undefined {
  const names = new Set(message.split(' ').slice(1))
  const found = [...own.values()].filter((change) => names.has(nameOf(change))).map(({ hash }) => hash)
  return found.length === names.size && found.length > 0 ? found : undefined
}

/** Effective streams: as declared while replicas agree, otherwise as tree repair derives them from all declared streams. */
import type { Account, Transaction } from '../engine/account.js'
import { listDeletion } from '../engine/tombstones.js'
import { accountKeys } from '../engine/keys.js'
import type { States } from '../engine/journal.js'
import type { Seconds } from '../model/event.js'
import { canonicalStream, type Stream } from '../model/stream.js'
import type { Tree } from '../model/tree.js'
import { MAX_STREAM_DEPTH, repairTree } from '../model/treeRepair.js'
import { noteConflict, recordDeclaredPlace } from '../engine/mergeState.js'

/** Returns the stream as its CRDT document declares it; undefined when there is none. */
export function declaredStream(account: Account, id: string): Stream | undefined {
  const effective = account.tree.get(id)
  const declared = effective === undefined ? undefined : account.notes.declaredPlace.get(id)
  return declared === undefined ? effective : canonicalStream({ ...(effective as Stream), ...declared })
}

/**
 * Stages declared streams, undefined for removed ones: their records, the records of streams whose effective place
 * changes with them, and the tree in memory. Returns the states of each stream that was declared or changed. `now` in
 * seconds.
 */
export function writeStreams(
  account: Account,
  t: Transaction,
  declared: ReadonlyMap<string, Stream | undefined>,
  now: Seconds,
): Map<string, States<Stream>> {
  const { tree } = account
  const before = new Map<string, Stream | undefined>()
  const show = (id: string, next: Stream | undefined): void => {
    if (!before.has(id)) before.set(id, tree.get(id))
    t.showStream(id, next)
  }
  if (!writeAsDeclared(account, declared, show)) writeRepaired(account, t, declared, show, now)
  const shifts = new Map<string, States<Stream>>()
  for (const [id, former] of before) {
    const after = tree.get(id)
    if (after === undefined) t.delete(accountKeys.stream(t.account, id))
    else t.put(accountKeys.stream(t.account, id), JSON.stringify(after))
    if ((former === undefined) !== (after === undefined)) listDeletion(t, id, after !== undefined)
    shifts.set(id, { ...(former === undefined ? {} : { before: former }), ...(after === undefined ? {} : { after }) })
  }
  return shifts
}

type Show = (id: string, next: Stream | undefined) => void

/** Writes streams as declared while the tree stays valid; returns false when it needs repair. */
function writeAsDeclared({ tree, notes }: Account, declared: ReadonlyMap<string, Stream | undefined>, show: Show): boolean {
  if (notes.declaredPlace.size > 0) return false
  for (const [id, stream] of declared) {
    if (stream === undefined ? tree.childrenOf(id).length > 0 : !fits(tree, stream)) return false
    show(id, stream === undefined ? undefined : canonicalStream(stream))
  }
  return true
}

/** Checks whether a stream fits a valid tree as declared. */
function fits(tree: Tree, { id, name, parentId }: Stream): boolean {
  if (tree.siblingNamed(parentId, name, id) !== undefined) return false
  const former = tree.get(id)
  if ((former !== undefined && former.parentId === parentId) || parentId === null) return true
  if (!tree.has(parentId) || tree.isUnder(parentId, id)) return false
  if (tree.size < MAX_STREAM_DEPTH) return true
  // The depth of its descendants is left to tree repair, which checks all.
  return tree.childrenOf(id).length === 0 && [...tree.ancestors(parentId)].length < MAX_STREAM_DEPTH - 1
}

function writeRepaired(
  account: Account,
  t: Transaction,
  declared: ReadonlyMap<string, Stream | undefined>,
  show: Show,
  now: Seconds,
): void {
  const { tree } = account
  const all = new Map<string, Stream>()
  for (const { id } of tree.all()) {
    const stream = declaredStream(account, id)
    if (stream !== undefined) all.set(id, stream)
  }
  for (const [id, stream] of declared) {
    if (stream !== undefined) all.set(id, stream)
    else {
      all.delete(id)
      recordDeclaredPlace(t, id, undefined)
      show(id, undefined)
    }
  }
  const repaired = repairTree([...all.values()])
  for (const [id, stream] of all) {
    const place = repaired.get(id)
    recordDeclaredPlace(t, id, place === undefined ? undefined : { name: stream.name, parentId: stream.parentId })
    const repair = place === undefined ? [] : (['name', 'parentId'] as const).filter((field) => place[field] !== stream[field])
    noteConflict(t, `s${id}`, { repair }, now)
    const { name, parentId } = place ?? stream
    const former = tree.get(id)
    if (!declared.has(id) && former?.name === name && former.parentId === parentId) continue
    show(id, canonicalStream({ ...stream, name, parentId }))
  }
}

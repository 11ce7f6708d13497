/** Checks the merge state of an account: declared places that are not in effect, conflicts, and refusals. */
import { accountKeys } from '../engine/keys.js'
import { canonicalStream, type Stream } from '../model/stream.js'
import type { Tree } from '../model/tree.js'
import { repairTree, type EffectivePlace } from '../model/treeRepair.js'
import { objectIn, textOf, type CheckContext, type ExpectedEntry, type Entry } from './crossReference.js'

/** Parses the declared place of a stream that is shown elsewhere; undefined when malformed. */
export function placeIn(text: string | undefined): EffectivePlace | undefined {
  const note = objectIn(text)
  const name = note?.['name']
  const parentId = note?.['parentId']
  if (typeof name !== 'string' || (parentId !== null && typeof parentId !== 'string')) return undefined
  return { name, parentId }
}

/** Checks the declared place of a stream whose effective place differs: `<id>`. */
export function checkDeclaredPlace({ findings }: CheckContext, { account, rest: id, bytes }: Entry, tree: Tree): void {
  findings.count('repaired streams')
  const where = `account ${account}, stream ${id}`
  if (placeIn(textOf({ account, rest: id, bytes })) === undefined) findings.report(where, 'has an unreadable declared place')
  if (!tree.has(id)) findings.report(where, 'has a declared place but does not exist')
}

/** Verifies that the stored tree equals the repaired tree of all declared places. */
export function checkTree({ db, findings }: CheckContext, account: string, tree: Tree): void {
  const declared = [...tree.all()].map((stream): Stream => {
    const place = placeIn(db.get(accountKeys.declaredPlace(account, stream.id)))
    return place === undefined ? stream : canonicalStream({ ...stream, ...place })
  })
  const repaired = repairTree(declared)
  for (const stream of declared) {
    const stored = tree.get(stream.id)
    const { name, parentId } = repaired.get(stream.id) ?? stream
    if (stored?.name === name && stored.parentId === parentId) continue
    findings.report(`account ${account}, stream ${stream.id}`, 'is not at its place in the repaired tree', { of: accountKeys.stream(account, stream.id) })
  }
}

/** Expects the event for an entry about a declared stream that does not exist: `<stream>/<event>`. */
export function expectedUnplacedEventEntries({ findings }: CheckContext, { account, rest }: Entry, tree: Tree): ExpectedEntry[] {
  findings.count('hidden members')
  const [stream = '', id = ''] = rest.split('/')
  const where = `account ${account}, event ${id}`
  if (tree.has(stream)) findings.report(where, `is hidden from stream ${stream}, which exists`)
  const wrong = (place: string | undefined): string | undefined =>
    place === undefined || place.startsWith('{') ? `is hidden from stream ${stream} but does not exist` : undefined
  return [{ key: accountKeys.eventPlace(account, id), where, wrong }]
}

/** Checks a conflict, by letter and id of the item, and expects the item. */
export function expectedConflictEntries({ findings }: CheckContext, entry: Entry): ExpectedEntry[] {
  findings.count('conflicts')
  const { account, rest: item } = entry
  const where = `account ${account}, item ${item}`
  const note = objectIn(textOf(entry))
  if (typeof note?.['at'] !== 'number' || !Array.isArray(note['fields'])) findings.report(where, 'has a conflict that cannot be read')
  const id = item.slice(1)
  const key = item.startsWith('e')
    ? accountKeys.eventPlace(account, id)
    : item.startsWith('s')
      ? accountKeys.stream(account, id)
      : item.startsWith('a')
        ? accountKeys.access(account, id)
        : accountKeys.profile(account, id)
  const wrong = (text: string | undefined): string | undefined => {
    const isGone = text === undefined || (item.startsWith('e') && text.startsWith('{'))
    return isGone ? 'has a conflict but does not exist' : undefined
  }
  return [{ key, where, wrong }]
}

/** Checks a refused change of a peer: `<peer>/<letter and id of the item>`. */
export function checkRefusal({ findings }: CheckContext, entry: Entry): void {
  findings.count('refusals')
  const { at, reason, message } = objectIn(textOf(entry)) ?? {}
  if (typeof at === 'number' && typeof reason === 'string' && typeof message === 'string') return
  findings.report(`account ${entry.account}, refusal ${entry.rest}`, 'cannot be read')
}

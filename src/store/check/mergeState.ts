/** What an account remembers of merging: what is shown otherwise than changes say, where edits met, what was refused. */
import { accountKeys } from '../engine/keys.js'
import { canonicalStream, type Stream } from '../model/stream.js'
import type { Tree } from '../model/tree.js'
import { repairTree, type EffectivePlace } from '../model/treeRepair.js'
import { objectIn, textOf, type CheckContext, type ExpectedEntry, type Entry } from './crossReference.js'

/** Where a stream says it is, in the note of one that is shown elsewhere; undefined when it is no such note. */
export function placeIn(text: string | undefined): EffectivePlace | undefined {
  const note = objectIn(text)
  const name = note?.['name']
  const parentId = note?.['parentId']
  if (typeof name !== 'string' || (parentId !== null && typeof parentId !== 'string')) return undefined
  return { name, parentId }
}

/** A stream that is shown otherwise than it says: `<id>`. */
export function checkDeclaredPlace({ findings }: CheckContext, { account, rest: id, bytes }: Entry, tree: Tree): void {
  findings.count('repaired streams')
  const where = `account ${account}, stream ${id}`
  if (placeIn(textOf({ account, rest: id, bytes })) === undefined) findings.report(where, 'has a note of its place that cannot be read')
  if (!tree.has(id)) findings.report(where, 'has a note of its place and is not there')
}

/** Verifies that the tree is what repair makes of what the streams say of themselves. */
export function checkTree({ db, findings }: CheckContext, account: string, tree: Tree): void {
  const declared = [...tree.all()].map((stream): Stream => {
    const place = placeIn(db.get(accountKeys.declaredPlace(account, stream.id)))
    return place === undefined ? stream : canonicalStream({ ...stream, ...place })
  })
  const repaired = repairTree(declared)
  for (const stream of declared) {
    const displayed = tree.get(stream.id)
    const { name, parentId } = repaired.get(stream.id) ?? stream
    if (displayed?.name === name && displayed.parentId === parentId) continue
    findings.report(`account ${account}, stream ${stream.id}`, 'is not shown where repair of the tree shows it', { of: accountKeys.stream(account, stream.id) })
  }
}

/** An event that says it is in a stream that is not there: `<stream>/<event>`. */
export function expectedUnplacedEventEntries({ findings }: CheckContext, { account, rest }: Entry, tree: Tree): ExpectedEntry[] {
  findings.count('hidden members')
  const [stream = '', id = ''] = rest.split('/')
  const where = `account ${account}, event ${id}`
  if (tree.has(stream)) findings.report(where, `is hidden from stream ${stream}, which is there`)
  const wrong = (place: string | undefined): string | undefined =>
    place === undefined || place.startsWith('{') ? `is hidden from stream ${stream}, and is not there` : undefined
  return [{ key: accountKeys.eventPlace(account, id), where, wrong }]
}

/** Where edits of an item met: its letter and its id. */
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
    return isGone ? 'has a conflict and is not there' : undefined
  }
  return [{ key, where, wrong }]
}

/** Something that was refused from a peer: `<peer>/<letter and id of the item>`. */
export function checkRefusal({ findings }: CheckContext, entry: Entry): void {
  findings.count('refusals')
  const { at, reason, message } = objectIn(textOf(entry)) ?? {}
  if (typeof at === 'number' && typeof reason === 'string' && typeof message === 'string') return
  findings.report(`account ${entry.account}, refusal ${entry.rest}`, 'cannot be read')
}

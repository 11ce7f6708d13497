/**
 * Checks the entries that replication uses, one function for each key family: epochs, digests and shared items; the
 * node's identity, its peers, their feeds and contacts; series version vectors; stream tombstones; and the merge state,
 * which consists of declared places that are not in effect, conflicts and refusals.
 */
import { accountKeys, nodeKeys, ORDERED_LENGTH, orderedToNumber } from '../engine/keys.js'
import { textToArrivalWindow } from '../engine/arrivalWindow.js'
import type { Seal } from '../keyring/seal.js'
import type { Stream } from '../model/stream.js'
import { canonicalStream } from '../model/streams/fields.js'
import type { Tree } from '../model/tree.js'
import { repairTree, type EffectivePlace } from '../model/treeRepair.js'
import { actorsOf, seriesVersion } from '../series/versionVector.js'
import { expectValue, objectIn, recordOf, textOf, type CheckContext, type Entry, type ExpectedEntry } from './crossReference.js'

/** Checks an epoch: the ordered sequence of its first entry → ids of processes. `last` is the latest journal entry. */
export function checkEpoch({ findings }: CheckContext, entry: Entry, last: number): void {
  const { account, rest } = entry
  findings.count('epochs')
  const from = orderedToNumber(rest)
  const where = `account ${account}, epoch ${from}`
  if (rest.length !== ORDERED_LENGTH || !Number.isSafeInteger(from) || from < 1 || from > last + 1) {
    findings.report(where, 'does not begin at a journal entry')
  }
  if (!/^[\w-]+( [\w-]+)*$/.test(textOf(entry))) findings.report(where, 'has no valid process id')
}

/** Checks an arrival window of remote changes: its entries are in the journal. */
export function checkReceived({ findings }: CheckContext, entry: Entry, last: number): void {
  const { account, rest } = entry
  findings.count('times of receipt')
  const time = orderedToNumber(rest)
  const span = textToArrivalWindow(textOf(entry))
  if (rest.length === ORDERED_LENGTH && Number.isFinite(time) && span !== undefined && span.last <= last) return
  findings.report(`account ${account}, receipt at ${time}`, 'does not refer to journal entries')
}

/**
 * Checks the stored digests: head, sums and positions of entries. Only checks that they belong to this journal; replicas
 * that differ compare the content with the items.
 */
export function checkSyncState({ findings }: CheckContext, entry: Entry, last: number): void {
  const { account, rest } = entry
  findings.count('parts of kept states')
  const where = `account ${account}, digest state ${rest}`
  if (rest === 'h') {
    const sequence = objectIn(textOf(entry))?.['sequence']
    if (typeof sequence !== 'number') findings.report(where, 'cannot be read')
    else if (!(sequence >= 0 && sequence <= last)) findings.report(where, 'refers to a missing journal entry')
  } else if (!/^[sp][0-9a-z]+$/.test(rest)) {
    findings.report(where, 'is not part of a digest state')
  }
}

/** Checks the entry of a shared item: `<peer>/<item>`. */
export function checkShared({ findings }: CheckContext, { account, rest }: Entry): void {
  findings.count('shared items')
  if (!/^[0-9a-z]+\/[esm].+$/s.test(rest)) findings.report(`account ${account}, shared ${rest}`, 'does not name an item')
}

/** Checks the share documents of an item. */
export function checkShareDocuments({ findings }: CheckContext, entry: Entry): void {
  const { account, rest } = entry
  findings.count('documents of shares')
  const isSound = /^[es].+$/s.test(rest) && objectIn(textOf(entry)) !== undefined
  if (!isSound) findings.report(`account ${account}, share document ${rest}`, 'cannot be read')
}

const isNode = (value: unknown): boolean => typeof value === 'string' && /^[A-Za-z0-9_-]{43}$/.test(value)
const isTime = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value)

/** Checks the key pair that identifies this node to others: it is readable and can be decrypted. */
export function checkIdentity({ db, findings }: CheckContext, seal: Seal | undefined): void {
  const text = db.get(nodeKeys.identity)
  if (text === undefined) return
  findings.count('identities')
  const where = 'the identity of the node'
  const { node, seed } = objectIn(text) ?? {}
  if (!isNode(node) || typeof seed !== 'string') return findings.report(where, 'cannot be read')
  if (seal === undefined) return
  try {
    if (/^[A-Za-z0-9_-]{43}$/.test(seal.open(seed, nodeKeys.identity))) return
  } catch {
    // Reported below.
  }
  findings.report(where, 'has a secret key that this node key cannot decrypt')
}

const DIRECTIONS = ['send', 'receive', 'both']

function isScope(value: unknown): boolean {
  const { is, streams, direction, grantor } = recordOf(value) ?? {}
  if (is === 'mirror') return true
  const areStreams = Array.isArray(streams) && streams.length > 0 && streams.every((id) => typeof id === 'string')
  return is === 'share' && areStreams && DIRECTIONS.includes(String(direction)) && (grantor === 'us' || grantor === 'them')
}

/** Checks a paired node, `<number>`; the number 0 stores the last assigned number. */
export function checkPeer({ db, findings }: CheckContext, entry: Entry): void {
  const record = objectIn(textOf(entry))
  const where = `account ${entry.account}, peer ${entry.rest}`
  if (entry.rest === '0') {
    if (!Number.isSafeInteger(record?.['last'])) findings.report(where, 'has no number')
    return
  }
  findings.count('peers')
  const isWhole =
    record !== undefined &&
    record['number'] === Number.parseInt(entry.rest, 36) &&
    typeof record['name'] === 'string' &&
    /^[A-Za-z0-9_-]{22}$/.test(String(record['pairing'])) &&
    isNode(record['node']) &&
    isScope(record['scope']) &&
    isTime(record['paired'])
  if (!isWhole) return findings.report(where, 'has a record that cannot be read')
  const last = objectIn(db.get(accountKeys.peer(entry.account, 0)))?.['last']
  if (!(Number(last) >= Number(record['number']))) findings.report(where, 'has a number that may be assigned to another peer')
}

const NUMBER = /^[1-9a-z][0-9a-z]*$/
/** Letter of an item that can be pending, and its id. */
const ITEM = /^[aemps]./

/** Expects the peer with the number in a key. */
const ofPeer = (account: string, number: string, where: string): ExpectedEntry => ({
  key: accountKeys.peer(account, Number.parseInt(number, 36)),
  where,
  wrong: (text) => (text === undefined ? 'belongs to a missing peer' : undefined),
})

/** Expects the peer of a feed position: `<number>`. */
export function expectedPeerPositionEntries({ findings }: CheckContext, entry: Entry): ExpectedEntry[] {
  findings.count('positions of peers')
  const { account, rest } = entry
  const where = `account ${account}, position of peer ${rest}`
  const position = objectIn(textOf(entry))
  const isPosition = typeof position?.['epoch'] === 'string' && Number.isSafeInteger(position['sequence'])
  if (!isPosition || !NUMBER.test(rest)) {
    findings.report(where, 'cannot be read')
    return []
  }
  return [ofPeer(account, rest, where)]
}

/** Expects the peer of an item to fetch: `<number>/<item>`. */
export function expectedPendingFetchEntries({ findings }: CheckContext, entry: Entry): ExpectedEntry[] {
  findings.count('owed items')
  const { account, rest } = entry
  const where = `account ${account}, pending item ${rest}`
  const slash = rest.indexOf('/')
  const number = rest.slice(0, slash)
  if (slash < 0 || !NUMBER.test(number) || !ITEM.test(rest.slice(slash + 1)) || textOf(entry) !== '') {
    findings.report(where, 'cannot be read')
    return []
  }
  return [ofPeer(account, number, where)]
}

/** Expects the peer of a contact: `<peer>/<began>`. */
export function expectedContactEntries({ findings }: CheckContext, entry: Entry): ExpectedEntry[] {
  findings.count('contacts')
  const { account, rest } = entry
  const [peer = '', began = ''] = rest.split('/')
  const where = `account ${account}, contacts with peer ${peer}`
  const stored = objectIn(textOf(entry))
  if (began.length !== ORDERED_LENGTH || typeof stored?.['ended'] !== 'number' || typeof stored['result'] !== 'string') {
    findings.report(where, 'include an unreadable record')
  }
  const wrong = (text: string | undefined): string | undefined => (text === undefined ? 'belong to a missing peer' : undefined)
  return [{ key: accountKeys.peer(account, Number.parseInt(peer, 36)), where, wrong }]
}

/** Parses a list of unique names; undefined for other texts. */
function actorsIn(text: string | undefined): string[] | undefined {
  try {
    const list: unknown = JSON.parse(text ?? '')
    if (!Array.isArray(list) || !list.every((one) => typeof one === 'string')) return undefined
    return new Set(list).size === list.length ? list : undefined
  } catch {
    return undefined
  }
}

/** Checks a version, `<event>/<actor>`, in microseconds; expects the actor in the list, and the holder event. */
export function expectedSeriesVersionEntries({ db, findings }: CheckContext, entry: Entry): ExpectedEntry[] {
  findings.count('reaches')
  const { account, rest } = entry
  const slash = rest.indexOf('/')
  const event = rest.slice(0, slash)
  const actor = rest.slice(slash + 1)
  const where = `account ${account}, series of event ${event}`
  const text = textOf(entry)
  if (!/^[1-9]\d*$/.test(text) || !Number.isSafeInteger(Number(text))) {
    findings.report(where, `has an unreadable version of ${actor}`)
  }
  const key = accountKeys.seriesActors(account, event)
  const actors = actorsIn(db.get(key)) ?? []
  return [
    {
      key,
      where,
      expectedValue: JSON.stringify([...actors.filter((one) => one !== actor), actor]),
      wrong: (list) => (actorsIn(list)?.includes(actor) === true ? undefined : `does not list its actor ${actor}`),
    },
    { key: accountKeys.eventPlace(account, event), where, wrong: missingHolder },
  ]
}

const missingHolder = (place: string | undefined): string | undefined =>
  place === undefined || place.startsWith('{') ? 'has versions, but its holder does not exist' : undefined

/** Checks the actors of a series, `<event>`: each has a version. */
export function expectedActorEntries({ db, findings }: CheckContext, entry: Entry): void {
  findings.count('lists of actors')
  const { account, rest: event } = entry
  const where = `account ${account}, series of event ${event}`
  if (actorsIn(textOf(entry)) === undefined) return findings.report(where, 'has a list of actors that cannot be read')
  for (const actor of actorsOf(db, account, event)) {
    if (seriesVersion(db, account, event, actor) === undefined) findings.report(where, `lacks the version of its actor ${actor}`)
  }
}

const HASH = /^[0-9a-f]{64}$/

/** Checks the tombstone of a stream, `<id>`, and expects its listing among the deletions. */
export function expectedTombstoneEntries({ findings }: CheckContext, entry: Entry, tree: Tree): ExpectedEntry[] {
  findings.count('graves')
  const { account, rest: id } = entry
  const where = `account ${account}, stream ${id}`
  const tombstone = objectIn(textOf(entry))
  const deleted = tombstone?.['deleted']
  if (typeof deleted !== 'number' || !areRoots(tombstone?.['roots'])) {
    findings.report(where, 'has an unreadable tombstone')
    return []
  }
  const key = accountKeys.streamDeletion(account, deleted, id)
  if (!tree.has(id)) return [expectValue(key, JSON.stringify({ id, deleted }), where, 'entry among the deletions')]
  const wrong = (text: string | undefined): string | undefined => (text === undefined ? undefined : 'is listed among the deletions')
  return [{ key, where, wrong, mustBeRemoved: true }]
}

/** Checks whether a value is a sorted list of unique hashes. */
const areRoots = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.every((root: unknown, i) => typeof root === 'string' && HASH.test(root) && (i === 0 || String(value[i - 1]) < root))

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

/**
 * All key families of the database, each with its meaning and an example. Only this file builds keys.
 *
 * Keys are text that sorts bytewise in the order that queries need. An account's keys share the prefix `<account>/`, so
 * that deleting, copying or measuring an account is a range; the node's own keys begin with `!`. Ids of items never
 * contain `/`, so the parts of a key are unambiguous.
 */

const ALPHABET = '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz'
const CODES = Uint8Array.from(ALPHABET, (c) => c.charCodeAt(0))
const VALUES = new Uint8Array(128)
for (let i = 0; i < CODES.length; i++) VALUES[CODES[i] ?? 0] = i

const double = new Float64Array(1)
const words = new Uint32Array(double.buffer)
const LOW = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1 ? 0 : 1
const HIGH = 1 - LOW

/** The length of an ordered number. */
export const ORDERED_LENGTH = 11

/**
 * Encodes a number as 11 characters whose text order is the number's order, negative numbers included: the 64 bits of
 * the double, sign-adjusted, in a printable base-64 alphabet in ASCII order. -0 equals 0.
 */
export function ordered(n: number): string {
  double[0] = n === 0 ? 0 : n
  let high = words[HIGH] ?? 0
  let low = words[LOW] ?? 0
  if (high >>> 31) {
    high = ~high
    low = ~low
  } else {
    high ^= 0x80000000
  }
  const c = CODES
  return String.fromCharCode(
    c[high >>> 28] as number,
    c[(high >>> 22) & 63] as number,
    c[(high >>> 16) & 63] as number,
    c[(high >>> 10) & 63] as number,
    c[(high >>> 4) & 63] as number,
    c[((high & 15) << 2) | (low >>> 30)] as number,
    c[(low >>> 24) & 63] as number,
    c[(low >>> 18) & 63] as number,
    c[(low >>> 12) & 63] as number,
    c[(low >>> 6) & 63] as number,
    c[low & 63] as number,
  )
}

/** Decodes a number encoded by `ordered`; reads 11 characters from `at`. */
export function orderedToNumber(text: string, at = 0): number {
  const v = (i: number): number => VALUES[text.charCodeAt(at + i)] ?? 0
  let high = ((v(0) << 28) | (v(1) << 22) | (v(2) << 16) | (v(3) << 10) | (v(4) << 4) | (v(5) >>> 2)) >>> 0
  let low = (((v(5) & 3) << 30) | (v(6) << 24) | (v(7) << 18) | (v(8) << 12) | (v(9) << 6) | v(10)) >>> 0
  if (high >>> 31) {
    high = (high ^ 0x80000000) >>> 0
  } else {
    high = ~high >>> 0
    low = ~low >>> 0
  }
  words[HIGH] = high
  words[LOW] = low
  return double[0] ?? 0
}

/** Sorts after every character of a key part: `[prefix, prefix + END)` is everything under the prefix. */
export const END = '\u{10ffff}'

/** Returns the range of all keys that begin with `prefix`. */
export function under(prefix: string): { gte: string; lt: string } {
  return { gte: prefix, lt: prefix + END }
}

/** Keys of the node. */
export const nodeKeys = {
  /** Format record: `!format` → JSON { format, node, created } */
  format: '!format',
  /** Number of the latest account created: `!accounts` → decimal text */
  lastAccount: '!accounts',
  /** Commit of the hash chain: `!k/<sequence>` → bytes, see commit.ts */
  commit: (sequence: number) => `!k/${ordered(sequence)}`,
  commits: '!k/',
  /** Owner of a user name: `!n/ana` → account prefix, with `/former` when the account has another name now */
  username: (username: string) => `!n/${username}`,
  usernames: '!n/',
  /** Owner of a unique value of an account field: `!q/email/<keyed hash>` → account prefix */
  unique: (field: string, digest: string) => `!q/${field}/${digest}`,
  uniques: '!q/',
  /** Account being erased: `!x/3` → ''; erasure continues at the next open */
  erasing: (account: string) => `!x/${account}`,
  erasings: '!x/',
  /** Account being imported, not visible yet: `!v/3` → ''; erased if found at the next open */
  arriving: (account: string) => `!v/${account}`,
  arrivings: '!v/',
  /** Change of names that the registry of the platform has not confirmed: `!o/<operation>` → JSON, see nameMarks.ts */
  nameMark: (operation: string) => `!o/${operation}`,
  nameMarks: '!o/',
  /** Pending task about a message between accounts: `!m/3/<task id>` → ''; see consentTasks.ts */
  consentDue: (account: string, task: string) => `!m/${account}/${task}`,
  consentDues: '!m/',
  /** Series written to since the duration of its holder was last updated: `!d/3/<event id>` → '' */
  seriesDue: (account: string, event: string) => `!d/${account}/${event}`,
  seriesDues: '!d/',
  /** Points of a series being erased: `!y/3/<event>/<epoch>` → ''; erasure continues at the next open */
  erasingSeries: (account: string, event: string, epoch: number) => `!y/${account}/${event}/${epoch.toString(36)}`,
  erasingsSeries: '!y/',
  /** Access of a token: `!t/<keyed hash of account and token>` → `<account>/<access id>` */
  token: (digest: string) => `!t/${digest}`,
  /** Access of an alias: `!r/r-x7k2m9ab` → `<account>/<access id>` */
  alias: (alias: string) => `!r/${alias}`,
  aliases: '!r/',
  /** Active webhook: `!w/<account>/<webhook id>` → '' */
  activeWebhook: (account: string, id: string) => `!w/${account}/${id}`,
  activeWebhooks: '!w/',
  /** Key pair that identifies this node to other nodes: `!identity` → JSON, the secret half sealed */
  identity: '!identity',
} as const

const pointsOf = (family: string, a: string, event: string, epoch: number): string =>
  `${a}/${family}/${event}/${epoch.toString(36)}/`

/** Keys of one account; `a` is its prefix, a short text of digits and lower-case letters. */
export const accountKeys = {
  all: (a: string) => `${a}/`,
  /** The user: `3/u` → JSON (username, password hash, hidden fields) */
  user: (a: string) => `${a}/u`,
  /** An access: `3/a/<id>` → JSON, its token sealed */
  access: (a: string, id: string) => `${a}/a/${id}`,
  accesses: (a: string) => `${a}/a/`,
  /** Access of a name: `3/n/app/<hash of name and device>` → access id. A hash has no slash and a bounded length */
  accessName: (a: string, type: string, digest: string) => `${a}/n/${type}/${digest}`,
  accessNames: (a: string) => `${a}/n/`,
  /** Shared access managed by an app: `3/k/<app's id>/<id>` → '' */
  managed: (a: string, manager: string, id: string) => `${a}/k/${manager}/${id}`,
  managedBy: (a: string, manager: string) => `${a}/k/${manager}/`,
  /** Earlier versions of an access: `3/y/<id>/<serial>` → JSON, without token */
  accessVersion: (a: string, id: string, serial: number) => `${a}/y/${id}/${ordered(serial)}`,
  accessVersions: (a: string, id: string) => `${a}/y/${id}/`,
  /** Deleted accesses by time of deletion: `3/D/<deleted><id>` → JSON, its token sealed */
  accessDeletion: (a: string, deleted: number, id: string) => `${a}/D/${ordered(deleted)}${id}`,
  accessDeletions: (a: string) => `${a}/D/`,
  /** Deletion time of an access: `3/Y/<id>` → ordered time */
  accessDeleted: (a: string, id: string) => `${a}/Y/${id}`,
  accessesDeleted: (a: string) => `${a}/Y/`,
  /** Usage of an access: `3/A/<id>` → JSON { lastUsed, calls }; not journaled */
  usage: (a: string, id: string) => `${a}/A/${id}`,
  /** Expiry of the session of a personal access: `3/x/<access id>` → ordered time */
  session: (a: string, id: string) => `${a}/x/${id}`,
  sessions: (a: string) => `${a}/x/`,
  /** Event, by time: `3/e/<time><id>` → its JSON as reads return it */
  event: (a: string, time: number, id: string) => `${a}/e/${ordered(time)}${id}`,
  events: (a: string) => `${a}/e/`,
  /** Place of an event: `3/i/<id>` → `<time><sequence of its latest journal entry>`, or `{`: its deletion as JSON */
  eventPlace: (a: string, id: string) => `${a}/i/${id}`,
  eventPlaces: (a: string) => `${a}/i/`,
  /** Events of a stream: `3/s/heart/<time><id>` → event type */
  streamEvent: (a: string, stream: string, time: number, id: string) => `${a}/s/${stream}/${ordered(time)}${id}`,
  streamEvents: (a: string, stream: string) => `${a}/s/${stream}/`,
  /** Period events by magnitude of their duration: `3/r/<class>/<time><id>` → ''. See eventFilter.ts */
  period: (a: string, magnitude: string, time: number, id: string) => `${a}/r/${magnitude}/${ordered(time)}${id}`,
  periods: (a: string) => `${a}/r/`,
  periodsOf: (a: string, magnitude: string) => `${a}/r/${magnitude}/`,
  /** Events by modification time: `3/m/<modified><id>` → ordered time of the event */
  modified: (a: string, modified: number, id: string) => `${a}/m/${ordered(modified)}${id}`,
  modifieds: (a: string) => `${a}/m/`,
  /** Deleted events by time of deletion: `3/d/<deleted><id>` → JSON { id, deleted, integrity } */
  eventDeletion: (a: string, deleted: number, id: string) => `${a}/d/${ordered(deleted)}${id}`,
  eventDeletions: (a: string) => `${a}/d/`,
  /** Stored earlier versions of a deleted event: `3/h/<id>/<n>` → JSON */
  version: (a: string, id: string, n: number) => `${a}/h/${id}/${ordered(n)}`,
  versions: (a: string, id: string) => `${a}/h/${id}/`,
  /** Reference of an event to a file: `3/F/<sha256>/<event id>/<file id>` → size in bytes */
  fileReference: (a: string, digest: string, event: string, file: string) => `${a}/F/${digest}/${event}/${file}`,
  fileReferences: (a: string) => `${a}/F/`,
  fileReferencesTo: (a: string, digest: string) => `${a}/F/${digest}`,
  /** Digest of a file of an event: `3/E/<event id>/<file id>` → SHA-256, hexadecimal */
  fileDigest: (a: string, event: string, file: string) => `${a}/E/${event}/${file}`,
  fileDigests: (a: string) => `${a}/E/`,
  /** Stream: `3/t/<id>` → JSON (flat) */
  stream: (a: string, id: string) => `${a}/t/${id}`,
  streams: (a: string) => `${a}/t/`,
  /** Place of a stream's changes: `3/f/<id>` → sequence of its latest journal entry, base 36 */
  streamPlace: (a: string, id: string) => `${a}/f/${id}`,
  /** Deleted streams: `3/v/<deleted><id>` → JSON { id, deleted } */
  streamDeletion: (a: string, deleted: number, id: string) => `${a}/v/${ordered(deleted)}${id}`,
  streamDeletions: (a: string) => `${a}/v/`,
  /** Audit record of a call by an access, by time: `3/g/<access base id>/<time><id>` → see model/auditRecord.ts */
  audit: (a: string, access: string, time: number, id: string) => `${a}/g/${access}/${ordered(time)}${id}`,
  auditOf: (a: string, access: string) => `${a}/g/${access}/`,
  /** Stream names that occur in audit records: `3/G/access-<base id>`, `3/G/action-events.get` → '' */
  auditName: (a: string, name: string) => `${a}/G/${name}`,
  auditNames: (a: string) => `${a}/G/`,
  /** Audit retention, start time and byte counter: `3/auditRetention` → JSON, see accounts/auditRetention.ts */
  auditRetention: (a: string) => `${a}/auditRetention`,
  /** The journal: `3/j/<sequence>` → entry, see journal.ts */
  journal: (a: string, sequence: number) => `${a}/j/${ordered(sequence)}`,
  journals: (a: string) => `${a}/j/`,
  /** A profile set: `3/p/public`, `3/p/app:<escaped name>` → see profiles.ts */
  profile: (a: string, id: string) => `${a}/p/${id}`,
  /** Followed slice: `3/w/<id>` → JSON, its access token sealed */
  slice: (a: string, id: string) => `${a}/w/${id}`,
  slices: (a: string) => `${a}/w/`,
  /** Unique values of followed slices: `3/W/n<keyed hash>` for the name, `3/W/u<keyed hash>` for url and token → slice id */
  sliceClaim: (a: string, digest: string) => `${a}/W/${digest}`,
  /** Webhook: `3/H/<id>` → JSON, the owner's settings */
  webhook: (a: string, id: string) => `${a}/H/${id}`,
  webhooks: (a: string) => `${a}/H/`,
  /** Webhooks of an access: `3/K/<access base id>` → JSON list of ids */
  webhooksOf: (a: string, access: string) => `${a}/K/${access}`,
  /** Results of a webhook's calls: `3/Q/<id>` → JSON, see model/webhook.ts; not journaled */
  webhookRuns: (a: string, id: string) => `${a}/Q/${id}`,
  /** Pending messages of a webhook: `3/q/<id>` → JSON { messages, due }; not journaled */
  webhookPending: (a: string, id: string) => `${a}/q/${id}`,
  /** Head of a series, by holder event: `3/S/<event>` → JSON, see series/head.ts */
  series: (a: string, event: string) => `${a}/S/${event}`,
  allSeries: (a: string) => `${a}/S/`,
  /**
   * Merged points of a series, in segments that do not overlap: `3/P/<event>/<epoch>/<largest
   * deltaTime><smallest><count>` → bytes, see series/segment.ts. A reader begins at the first segment that ends after
   * the start of its window. The epoch is the sequence of the series' first journal entry, base 36; the count of points
   * is in base 36 too.
   */
  points: (a: string, event: string, epoch: number, from: number, to: number, count: number) =>
    `${pointsOf('P', a, event, epoch)}${ordered(to)}${ordered(from)}${count.toString(36)}`,
  pointsOf: (a: string, event: string, epoch: number) => pointsOf('P', a, event, epoch),
  /** Range of merged segments that end at `from` or later */
  pointsBehind: (a: string, event: string, epoch: number, from: number) => {
    const prefix = pointsOf('P', a, event, epoch)
    return { ...under(prefix), gte: prefix + ordered(from) }
  },
  allPoints: (a: string) => `${a}/P/`,
  /** Summary of a merged segment, derived from it: `3/summary/<event>/<epoch>/<as its segment>` → bytes, see series/summaryRecord.ts */
  pointsSummary: (a: string, event: string, epoch: number, from: number, to: number, count: number) =>
    `${pointsOf('summary', a, event, epoch)}${ordered(to)}${ordered(from)}${count.toString(36)}`,
  pointsSummariesOf: (a: string, event: string, epoch: number) => pointsOf('summary', a, event, epoch),
  allPointsSummaries: (a: string) => `${a}/summary/`,
  /**
   * New points, not merged yet: `3/N/<event>/<epoch>/<number><smallest deltaTime><largest><count>` → bytes. Numbers
   * increase, so that reads do not scan the tombstones of merged segments again.
   */
  newPoints: (a: string, event: string, epoch: number, number: number, from: number, to: number, count: number) =>
    `${pointsOf('N', a, event, epoch)}${ordered(number)}${ordered(from)}${ordered(to)}${count.toString(36)}`,
  newPointsOf: (a: string, event: string, epoch: number) => pointsOf('N', a, event, epoch),
  /** Range of new segments from a number on */
  newPointsSince: (a: string, event: string, epoch: number, number: number) => {
    const prefix = pointsOf('N', a, event, epoch)
    return { ...under(prefix), gte: prefix + ordered(number) }
  },
  allNewPoints: (a: string) => `${a}/N/`,
  /** Failed attempts at a secret: `3/z/password` → JSON, see credentials.ts; not journaled */
  attempts: (a: string, of: string) => `${a}/z/${of}`,
  attemptsOf: (a: string) => `${a}/z/`,
  /** Credentials besides the password: `3/c/reset`, `3/c/mfa` → JSON, secrets hashed or sealed */
  credential: (a: string, name: string) => `${a}/c/${name}`,
  credentials: (a: string) => `${a}/c/`,
  /** Shared secret: `3/secret/<id>` → JSON, with its content sealed while it is pending */
  sharedSecret: (a: string, id: string) => `${a}/secret/${id}`,
  sharedSecrets: (a: string) => `${a}/secret/`,
  /** Shared secrets by creating access and time: `3/secretBy/<access base id>/<time><id>` → '' */
  sharedSecretBy: (a: string, access: string, time: number, id: string) => `${a}/secretBy/${access}/${ordered(time)}${id}`,
  sharedSecretsBy: (a: string, access: string) => `${a}/secretBy/${access}/`,
  allSharedSecretsBy: (a: string) => `${a}/secretBy/`,
  /** Delegate of this account: `3/delegate/<relationship>` → JSON, its endpoint sealed */
  delegate: (a: string, relation: string) => `${a}/delegate/${relation}`,
  delegates: (a: string) => `${a}/delegate/`,
  /** Account controlled by this one: `3/controlled/<relationship>` → JSON, its endpoints sealed */
  controlled: (a: string, relation: string) => `${a}/controlled/${relation}`,
  controlleds: (a: string) => `${a}/controlled/`,
  /** Accesses of relationships with another account: `3/relation/<slug of its name>/<access id>` → '' */
  relation: (a: string, peer: string, access: string) => `${a}/relation/${peer}/${access}`,
  relationsWith: (a: string, peer: string) => `${a}/relation/${peer}/`,
  relations: (a: string) => `${a}/relation/`,
  /** Access of a link to an offer: `3/link/<capability id>` → access id */
  consentLink: (a: string, capability: string) => `${a}/link/${capability}`,
  /** Relationship of an account through a link: `3/joined/<capability id>/<slug of its name>` → access id */
  joined: (a: string, capability: string, peer: string) => `${a}/joined/${capability}/${peer}`,
  allJoined: (a: string) => `${a}/joined/`,
  /** Task about a message between accounts: `3/message/<task id>` → JSON, secrets sealed; not journaled */
  consentTask: (a: string, task: string) => `${a}/message/${task}`,
  /** Document state for recording an item's next change: `3/b/e<id>` → bytes, see sync/crdt */
  docState: (a: string, item: string) => `${a}/b/${item}`,
  /**
   * Paired node, by its number in the account: `3/L/1` → JSON, see replication/peers.ts; `3/L/0` → JSON { last }, the latest
   * number assigned; not journaled
   */
  peer: (a: string, peer: number) => `${a}/L/${peer.toString(36)}`,
  peers: (a: string) => `${a}/L/`,
  /** Position up to which a peer's feed was applied: `3/l/1` → JSON { epoch, sequence }; not journaled */
  peerPosition: (a: string, peer: number) => `${a}/l/${peer.toString(36)}`,
  peerPositions: (a: string) => `${a}/l/`,
  /** Item still to fetch from a peer: `3/o/1/e<event>` or `3/o/1/m<event of a series>` → ''; not journaled */
  pendingFetch: (a: string, peer: number, item: string) => `${a}/o/${peer.toString(36)}/${item}`,
  pendingFetchesFrom: (a: string, peer: number) => `${a}/o/${peer.toString(36)}/`,
  allPendingFetches: (a: string) => `${a}/o/`,
  /** Missing file that an event refers to: `3/U/<sha256>` → size in bytes; not journaled */
  wantedFile: (a: string, digest: string) => `${a}/U/${digest}`,
  wantedFiles: (a: string) => `${a}/U/`,
  /** Result of a contact with a peer: `3/O/1/<began>` → JSON; not journaled */
  contact: (a: string, peer: number, began: number) => `${a}/O/${peer.toString(36)}/${ordered(began)}`,
  contacts: (a: string, peer: number) => `${a}/O/${peer.toString(36)}/`,
  allContacts: (a: string) => `${a}/O/`,
  /** Epoch, by first journal entry of a process: `3/B/<sequence>` → random id, which distinguishes copies of a store */
  epoch: (a: string, from: number) => `${a}/B/${ordered(from)}`,
  epochs: (a: string) => `${a}/B/`,
  /**
   * Arrival windows of events from other nodes: `3/received/<time>` → `<first>-<last>`, journal entries, see
   * remoteArrivals.ts
   */
  received: (a: string, time: number) => `${a}/received/${ordered(time)}`,
  allReceived: (a: string) => `${a}/received/`,
  /** Digests for comparing copies: `3/I/<part>`, see sync/digest; not journaled, rebuilt on demand */
  syncState: (a: string, part: string) => `${a}/I/${part}`,
  syncStates: (a: string) => `${a}/I/`,
  /** Conflict between concurrent edits of an item: `3/C/e<id>` → JSON { at, fields }, no content; not journaled */
  conflict: (a: string, item: string) => `${a}/C/${item}`,
  conflicts: (a: string) => `${a}/C/`,
  /** Change refused from a peer: `3/X/1/e<id>` → JSON { at, reason, … }; not journaled */
  refused: (a: string, peer: number, item: string) => `${a}/X/${peer.toString(36)}/${item}`,
  refusedFrom: (a: string, peer: number) => `${a}/X/${peer.toString(36)}/`,
  allRefused: (a: string) => `${a}/X/`,
  /**
   * Items not exchanged with a peer because of a limit: `3/aside/1/e<id>` → JSON { at, reason, message }; `!s<id>` for
   * an item deleted later, whose deletion cannot be sent either; not journaled
   */
  aside: (a: string, peer: number, item: string) => `${a}/aside/${peer.toString(36)}/${item}`,
  asideFor: (a: string, peer: number) => `${a}/aside/${peer.toString(36)}/`,
  allAside: (a: string) => `${a}/aside/`,
  /** Item shared with a peer, in either direction: `3/J/1/e<event>` → ''. Mirrors have none; not journaled */
  shared: (a: string, peer: number, item: string) => `${a}/J/${peer.toString(36)}/${item}`,
  sharedWith: (a: string, peer: number) => `${a}/J/${peer.toString(36)}/`,
  allShared: (a: string) => `${a}/J/`,
  /** Share documents of an item: `3/shareDoc/e<event>` → JSON by peer, see engine/shareDocuments.ts; not journaled */
  shareDocuments: (a: string, item: string) => `${a}/shareDoc/${item}`,
  allShareDocuments: (a: string) => `${a}/shareDoc/`,
  /** Declared place of a stream that tree repair shows elsewhere: `3/T/<id>` → JSON { name, parentId } as declared */
  declaredPlace: (a: string, stream: string) => `${a}/T/${stream}`,
  allDeclaredPlaces: (a: string) => `${a}/T/`,
  /** Event whose changes name a missing stream: `3/M/<stream>/<event>` → '' */
  unplacedEvent: (a: string, stream: string, event: string) => `${a}/M/${stream}/${event}`,
  unplacedEvents: (a: string) => `${a}/M/`,
  /** Tombstone of a stream: `3/Z/<id>` → JSON { deleted, roots }: deletion time and covered initial changes */
  tombstone: (a: string, stream: string) => `${a}/Z/${stream}`,
  tombstones: (a: string) => `${a}/Z/`,
  /** Version of a series per writing process: `3/V/<event>/<actor>` → microseconds up to which its points are here, decimal */
  seriesVersion: (a: string, event: string, actor: string) => `${a}/V/${event}/${actor}`,
  seriesVersions: (a: string, event: string) => `${a}/V/${event}/`,
  allSeriesVersions: (a: string) => `${a}/V/`,
  /** Writing processes of a series: `3/R/<event>` → JSON list of actors, each with a version */
  seriesActors: (a: string, event: string) => `${a}/R/${event}`,
} as const

/** Prefix of the platform's own keys; user accounts count from 1. */
export const PLATFORM = '0'

/** Keys of the platform, in addition to its journal (`0/j/…`). */
export const platformKeys = {
  /** Platform record: `0/R/invitation/<id>` → JSON { value, expires? }, see platformRecords.ts */
  record: (family: string, id: string) => `${PLATFORM}/R/${family}/${id}`,
  records: (family: string) => `${PLATFORM}/R/${family}/`,
  all: `${PLATFORM}/R/`,
} as const

/**
 * Entries of a database as members of an archive: in key order, split at points that the keys themselves determine. So
 * a change alters one member and leaves its neighbours the same.
 *
 * A member is a sequence of: length of the key (u32), length of the value (u32), key, value; numbers are little-endian.
 */
import type { Pages } from '../engine/database.js'
import type { Counts } from './manifest.js'

/** A run of entries stored as one member. */
export interface EntryGroup {
  bytes: Buffer
  /** Key of its first entry. */
  first: string
  counts: Counts
}

const MIN_BYTES = 48 * 1024
const MAX_BYTES = 1024 * 1024
/** Average number of keys per split point, applied once a group is long enough. */
const ONE_IN = 1024

/** Returns the FNV-1a hash of the characters of a key. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193)
  return hash >>> 0
}

/**
 * Groups the entries of `pages` and closes them at the end. Calls `ends` at the start of each group to ask whether to
 * stop there.
 */
export async function* groupsOf(
  pages: Pages<[string, Uint8Array]>,
  ends: (first: string) => boolean = () => false,
): AsyncGenerator<EntryGroup> {
  let parts: Uint8Array[] = []
  let bytes = 0
  let first = ''
  let counts: Counts = {}
  const group = (): EntryGroup => {
    const whole = { bytes: Buffer.concat(parts, bytes), first, counts }
    parts = []
    bytes = 0
    counts = {}
    return whole
  }
  try {
    for (let page = await pages.next(500); page.length > 0; page = await pages.next(500)) {
      for (const [key, value] of page) {
        if (bytes === 0) {
          if (ends(key)) return
          first = key
        }
        count(counts, key)
        const head = Buffer.allocUnsafe(8 + Buffer.byteLength(key))
        head.writeUInt32LE(head.length - 8, 0)
        head.writeUInt32LE(value.length, 4)
        head.write(key, 8)
        parts.push(head, value)
        bytes += head.length + value.length
        if (bytes >= MAX_BYTES || (bytes >= MIN_BYTES && hashOf(key) % ONE_IN === 0)) yield group()
      }
    }
    if (bytes > 0) yield group()
  } finally {
    await pages.close()
  }
}

/**
 * Returns the entries of a member.
 * @throws RangeError when its lengths are invalid
 */
export function* entriesIn(bytes: Buffer): Generator<[key: string, value: Buffer]> {
  for (let at = 0; at < bytes.length; ) {
    const key = bytes.readUInt32LE(at)
    const value = bytes.readUInt32LE(at + 4)
    const end = at + 8 + key + value
    if (end > bytes.length) throw new RangeError('An entry is longer than its group.')
    yield [bytes.toString('utf8', at + 8, at + 8 + key), bytes.subarray(at + 8 + key, end)]
    at = end
  }
}

/** Nouns of the interface for key families. */
const NOUNS: Readonly<Record<string, string>> = {
  u: 'users',
  t: 'streams',
  e: 'events',
  h: 'eventVersions',
  E: 'attachments',
  S: 'series',
  a: 'accesses',
  p: 'profileSets',
  w: 'followedSlices',
  H: 'webhooks',
  g: 'auditRecords',
}

/** Adds a key to the counts of the nouns it belongs to. */
function count(counts: Counts, key: string): void {
  counts['entries'] = (counts['entries'] ?? 0) + 1
  const [account = '', family = ''] = key.split('/', 2)
  const noun = account.startsWith('!') || account === '0' ? undefined : NOUNS[family]
  if (noun !== undefined) counts[noun] = (counts[noun] ?? 0) + 1
}

/** Sums the counts of groups; includes nouns with a count of zero. */
export function total(groups: Iterable<Counts>): Counts {
  const all: Counts = Object.fromEntries([...Object.values(NOUNS), 'entries'].map((noun) => [noun, 0]))
  for (const counts of groups) for (const [noun, n] of Object.entries(counts)) all[noun] = (all[noun] ?? 0) + n
  return all
}

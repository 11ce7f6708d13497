/** Finds the members of an archive without changes, which the next archive reuses unread. */
import { ARCHIVE_VERSION } from './manifest.js'
import type { Archive, Member } from './archive.js'

/** A member with unchanged entries; it covers all keys up to the first key of the next. */
export interface UnchangedMember {
  member: Member
  /** The first key of the next member; undefined for the last. */
  next: string | undefined
}

/**
 * Returns the unchanged members of entries by their first keys. `changed` contains prefixes of all keys written since.
 * The first member is under '' too, since it covers all keys before it.
 */
export function unchangedMembers({ manifest, members }: Archive, changed: ReadonlySet<string>): Map<string, UnchangedMember> {
  const groups = members.filter(({ kind }) => kind === 'entries')
  const unchanged = new Map<string, UnchangedMember>()
  if (manifest.version !== ARCHIVE_VERSION) return unchanged
  const firsts = groups.flatMap(({ first }) => (first === undefined ? [] : [Buffer.from(first)]))
  // The archive lacks the first keys of its groups.
  if (firsts.length < groups.length) return unchanged
  const touched = new Set<number>()
  for (const beginning of changed) for (const at of membersWith(Buffer.from(beginning), firsts)) touched.add(at)
  for (const [at, member] of groups.entries()) {
    if (touched.has(at)) continue
    const known = { member, next: groups[at + 1]?.first }
    unchanged.set(member.first ?? '', known)
    if (at === 0) unchanged.set('', known)
  }
  return unchanged
}

/** Returns the indexes of the members that may contain keys with a prefix; `firsts` are their first keys in database order. */
function* membersWith(beginning: Buffer, firsts: readonly Buffer[]): Generator<number> {
  let low = 0
  for (let high = firsts.length; low < high; ) {
    const middle = (low + high) >> 1
    const first = firsts[middle]
    if (first !== undefined && first.compare(beginning) <= 0) low = middle + 1
    else high = middle
  }
  yield Math.max(0, low - 1)
  for (let at = low; firsts[at]?.subarray(0, beginning.length).equals(beginning) === true; at++) yield at
}

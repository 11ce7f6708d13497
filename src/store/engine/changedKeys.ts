/**
 * Which keys were written since a moment, so that a backup reads only what may have changed since the one before it. A
 * moment is known by its mark, which an archive keeps; of the keys only beginnings are kept, the shorter the more there
 * are, so that many need little memory: what is said to have changed may be more than what did, never less.
 */
import { randomBytes } from 'node:crypto'
import { nodeKeys, platformKeys } from './keys.js'

export interface ChangedKeySet {
  /** Hears of the keys of a commit before it is written, of each before it hears of the next. */
  writing(keys: ReadonlyMap<string, unknown>): void
  /** Hears that the commit is on disk, or will never be. */
  written(): void
  /** Sets a mark: what is written from now on is told apart from what was before. */
  mark(): string
  /** Beginnings of all keys that may have been written since a mark was set; undefined when it is not known any more. */
  since(mark: string): ReadonlySet<string> | undefined
  /** Keeps of all keys that begin with `prefix` only that: what they name was erased. */
  erased(prefix: string): void
  /** What `createChangedKeySet` goes on from. */
  readonly spans: readonly Span[]
}

/** What was written between a mark and the next one. */
export interface Span {
  mark: string
  /** Characters that are kept of a key. */
  length: number
  beginnings: Set<string>
}

/** Moments that are kept: each folder of backups needs one of them. */
const MAX_SPANS = 16
const MAX_BEGINNINGS = 8000
const LONGEST = 48
const SHORTEST = 4
const STEP = 4

/** Follows the commits of a store. `spans` is what was known when it was closed. */
export function createChangedKeySet(spans: readonly Span[] = []): ChangedKeySet {
  const known = [...spans]
  let open: ReadonlyMap<string, unknown> | undefined
  return {
    spans: known,
    writing(keys) {
      open = keys
      const span = known.at(-1)
      if (span !== undefined) take(span, keys)
    },
    written() {
      open = undefined
    },
    mark() {
      const span: Span = { mark: randomBytes(16).toString('base64url'), length: LONGEST, beginnings: new Set() }
      // A copy that is made now may lack the commit that is being written.
      if (open !== undefined) take(span, open)
      known.push(span)
      if (known.length > MAX_SPANS) known.shift()
      return span.mark
    },
    since(mark) {
      const from = known.findIndex((span) => span.mark === mark)
      if (from < 0) return undefined
      return new Set(known.slice(from).flatMap(({ beginnings }) => [...beginnings]))
    },
    erased(prefix) {
      for (const { beginnings } of known) {
        for (const each of beginnings) {
          if (each === prefix || !each.startsWith(prefix)) continue
          beginnings.delete(each)
          beginnings.add(prefix)
        }
      }
    },
  }
}

function take(span: Span, keys: ReadonlyMap<string, unknown>): void {
  for (const key of keys.keys()) span.beginnings.add(beginningOf(key, span.length))
  while (span.beginnings.size > MAX_BEGINNINGS && span.length > SHORTEST) {
    span.length -= STEP
    span.beginnings = new Set([...span.beginnings].map((each) => beginningOf(each, span.length)))
  }
}

/** Families whose keys hold names of people, and of which there are few: kept is the family alone. */
const NAMING = [nodeKeys.usernames, nodeKeys.uniques, platformKeys.all]

/** Whole characters only: half of a surrogate pair is none in the order of the database. */
function beginningOf(key: string, length: number): string {
  const naming = NAMING.find((family) => key.startsWith(family))
  if (naming !== undefined) return naming
  if (key.length <= length) return key
  const last = key.charCodeAt(length - 1)
  return key.slice(0, last >= 0xd800 && last < 0xdc00 ? length - 1 : length)
}

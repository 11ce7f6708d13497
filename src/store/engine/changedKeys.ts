/**
 * Changed keys: the keys written since a mark, so that an incremental backup reads only what may have changed. Each
 * archive stores its mark. Only key prefixes are recorded, shorter as they become more, to limit memory: the set may cover
 * more than what changed, never less.
 *
 * `createChangedKeySet` makes the set that commits fill (`ChangedKeySet`). A clean shutdown saves it in the file `touched`
 * beside the database. Opening the store removes the file, so that a crash leaves none. The file is ignored if the
 * database files differ from those that it records.
 */
import { createHash, randomBytes } from 'node:crypto'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { syncFolder } from '../leveldb/filesOnDisk.js'
import { nodeKeys, platformKeys } from './keys.js'

export interface ChangedKeySet {
  /** Records the keys of a commit before it is written. Commits are recorded one at a time. */
  writing(keys: ReadonlyMap<string, unknown>): void
  /** Records that the commit is on disk or has failed. */
  written(): void
  /** Sets a mark and returns it; later writes are recorded separately. */
  mark(): string
  /** Returns prefixes of all keys that may have been written since a mark; undefined when the mark is no longer known. */
  since(mark: string): ReadonlySet<string> | undefined
  /** Replaces all recorded keys that begin with `prefix` by the prefix itself, since their account was erased. */
  erased(prefix: string): void
  /** Initial value for the next `createChangedKeySet`. */
  readonly spans: readonly Span[]
}

/** Keys written between a mark and the next one. */
interface Span {
  mark: string
  /** Characters stored per key. */
  length: number
  beginnings: Set<string>
}

/** Maximum number of spans; each backup folder needs one. */
const MAX_SPANS = 16
const MAX_PREFIXES = 8000
const MAX_PREFIX_LENGTH = 48
const MIN_PREFIX_LENGTH = 4
const STEP = 4

/** Creates the set of a store. `spans` are those saved when the store was last closed. */
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
      const span: Span = { mark: randomBytes(16).toString('base64url'), length: MAX_PREFIX_LENGTH, beginnings: new Set() }
      // A copy made now may lack the commit that is being written.
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
  for (const key of keys.keys()) span.beginnings.add(prefixOf(key, span.length))
  while (span.beginnings.size > MAX_PREFIXES && span.length > MIN_PREFIX_LENGTH) {
    span.length -= STEP
    span.beginnings = new Set([...span.beginnings].map((each) => prefixOf(each, span.length)))
  }
}

/** Small families whose keys contain people's names; only the family prefix is recorded. */
const NAMING = [nodeKeys.usernames, nodeKeys.uniques, platformKeys.all]

/** Returns the first `length` characters of a key, without splitting a surrogate pair, which would break the database order. */
function prefixOf(key: string, length: number): string {
  const naming = NAMING.find((family) => key.startsWith(family))
  if (naming !== undefined) return naming
  if (key.length <= length) return key
  const last = key.charCodeAt(length - 1)
  return key.slice(0, last >= 0xd800 && last < 0xdc00 ? length - 1 : length)
}

const FILE = 'touched'

const Known = z.object({
  files: z.string(),
  spans: z.array(z.object({ mark: z.string(), length: z.number().int(), beginnings: z.array(z.string()) })),
})

/** Returns a short digest of the database files as `listed`. */
const digestOfListing = (listed: string): string => createHash('sha256').update(listed).digest('hex')

/** Reads the file of a closed store. `listed` lists its database files and runs before anything opens them. */
export async function readChangedKeys(folder: string, listed: () => string): Promise<ChangedKeysRecord | undefined> {
  const text = await readFile(join(folder, FILE), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : { text, files: digestOfListing(listed()) }
}

/** Content of the file, with the database files at that time. */
interface ChangedKeysRecord {
  text: string
  files: string
}

/** Removes the file and returns its spans; empty when it is not valid any more. The caller holds the lock of the store. */
export async function takeChangedKeys(folder: string, left: ChangedKeysRecord): Promise<Span[]> {
  const path = join(folder, FILE)
  // Another process may have opened the store before the lock was taken.
  const isLeft = (await readFile(path, 'utf8').catch(() => undefined)) === left.text
  await rm(path, { force: true })
  await syncFolder(folder)
  if (!isLeft) return []
  const known = Known.safeParse(jsonIn(left.text))
  if (!known.success || known.data.files !== left.files) return []
  return known.data.spans.map((span) => ({ ...span, beginnings: new Set(span.beginnings) }))
}

/** Writes the changed-key set of a store that was just closed. `listed` lists its database files. */
export async function saveChangedKeys(folder: string, listed: () => string, spans: readonly Span[]): Promise<void> {
  if (spans.length === 0) return
  const files = digestOfListing(listed())
  const text = JSON.stringify({ files, spans: spans.map((span) => ({ ...span, beginnings: [...span.beginnings] })) })
  const draft = join(folder, `${FILE}.draft`)
  // Not synced: a file torn by a power cut is ignored, which only makes the next backup slower.
  await writeFile(draft, text, { mode: 0o600 })
  await rename(draft, join(folder, FILE))
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * What a store that was closed knows of written keys (createChangedKeySet.ts), in `touched` beside its database. It is taken away
 * when the store is opened, so that a crash leaves none, and it says of which files of the database it speaks: when
 * anything else opened or replaced those meanwhile, nothing is known.
 */
import { createHash } from 'node:crypto'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { syncFolder } from '../leveldb/syncFolder.js'
import type { Span } from './changedKeys.js'

const FILE = 'touched'

const Known = z.object({
  files: z.string(),
  spans: z.array(z.object({ mark: z.string(), length: z.number().int(), beginnings: z.array(z.string()) })),
})

/** A short name for the files of a database as `listed`. */
const nameOf = (listed: string): string => createHash('sha256').update(listed).digest('hex')

/** What a store that was closed has left of what it knows; `listed` tells its database files before anybody opens them. */
export async function changedKeysLeft(folder: string, listed: () => Promise<string>): Promise<ChangedKeysRecord | undefined> {
  const text = await readFile(join(folder, FILE), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : { text, files: nameOf(await listed()) }
}

/** What was left, with the files of that moment. */
export interface ChangedKeysRecord {
  text: string
  files: string
}

/** Goes on from what was left, which is taken away; whoever calls this holds the lock of the store. */
export async function takeChangedKeys(folder: string, left: ChangedKeysRecord): Promise<Span[]> {
  const path = join(folder, FILE)
  // Somebody else may have opened the store before the lock was taken.
  const isLeft = (await readFile(path, 'utf8').catch(() => undefined)) === left.text
  await rm(path, { force: true })
  await syncFolder(folder)
  if (!isLeft) return []
  const known = Known.safeParse(jsonIn(left.text))
  if (!known.success || known.data.files !== left.files) return []
  return known.data.spans.map((span) => ({ ...span, beginnings: new Set(span.beginnings) }))
}

/** Keeps what is known of a store that was just closed; `listed` tells its database files. */
export async function saveChangedKeys(folder: string, listed: () => Promise<string>, spans: readonly Span[]): Promise<void> {
  if (spans.length === 0) return
  const files = nameOf(await listed())
  const text = JSON.stringify({ files, spans: spans.map((span) => ({ ...span, beginnings: [...span.beginnings] })) })
  const draft = join(folder, `${FILE}.draft`)
  // Not waited for until it is on disk: of a file that a power cut tore nothing is known, which is what it costs.
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

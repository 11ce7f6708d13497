/**
 * File `touched` beside the database: the changed-key set (changedKeys.ts) of a cleanly closed store. Removed when the
 * store is opened, so that a crash leaves none. Ignored if the database files differ from those it records.
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

/** Returns a short digest of the database files as `listed`. */
const nameOf = (listed: string): string => createHash('sha256').update(listed).digest('hex')

/** Reads the file of a closed store. `listed` lists its database files and runs before anything opens them. */
export async function changedKeysLeft(folder: string, listed: () => Promise<string>): Promise<ChangedKeysRecord | undefined> {
  const text = await readFile(join(folder, FILE), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : { text, files: nameOf(await listed()) }
}

/** Content of the file, with the database files at that time. */
export interface ChangedKeysRecord {
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
export async function saveChangedKeys(folder: string, listed: () => Promise<string>, spans: readonly Span[]): Promise<void> {
  if (spans.length === 0) return
  const files = nameOf(await listed())
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

/**
 * Checkpoints: copies of the store as it is at one moment, in `checkpoints` beside it, from which another process makes
 * a backup while the node goes on. They hold what may be deleted meanwhile, so each goes as soon as its maker is done.
 */
import { mkdir, readdir, rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Failure } from '../store/model/failure.js'
import { processExists } from '../store/engine/processExists.js'
import type { Node } from './node.js'

const folderOf = (store: string): string => join(dirname(store), 'checkpoints')

/** Where a checkpoint is. */
export interface Checkpoint {
  id: string
  store: string
  files: string
}

/** The checkpoint of a backup: with its moment, for the next one, and what may have changed since that of the one before. */
export interface MarkedCheckpoint extends Checkpoint {
  mark: string
  /** Beginnings of keys (store/createChangedKeySet.ts); absent when it is not known. */
  changed?: string[]
}

/** Makes a checkpoint for the backup that the process `pid` makes; `since` is the mark of the one before. */
export async function markCheckpoint(node: Node, pid: number, since: string | undefined): Promise<MarkedCheckpoint> {
  const { touched } = node.store
  const mark = touched.mark()
  const checkpoint = await makeCheckpoint(node, pid)
  // What is written while the files are linked may be in them already.
  const changed = since === undefined ? undefined : touched.since(since)
  return { ...checkpoint, mark, ...(changed === undefined ? {} : { changed: [...changed] }) }
}

/** Makes a checkpoint for the process `pid`, in whose time it stays. */
export async function makeCheckpoint(node: Node, pid: number): Promise<Checkpoint> {
  await dropAbandoned(node.store.folder)
  // Whose it is stands in its name, so that none is ever without.
  const id = `${pid}-${node.newId()}`
  const at = join(folderOf(node.store.folder), id)
  await mkdir(at, { recursive: true, mode: 0o700 })
  try {
    const places = { store: join(at, 'store'), files: join(at, 'files') }
    await node.store.checkpoint(places)
    return { id, ...places }
  } catch (error) {
    await rm(at, { recursive: true, force: true })
    throw error
  }
}

/** Removes a checkpoint. */
export async function dropCheckpoint(store: string, id: string): Promise<void> {
  if (!/^\d+-[a-z0-9]+$/.test(id)) throw new Failure('invalid-parameters-format', 'That is no checkpoint.')
  await rm(join(folderOf(store), id), { recursive: true, force: true })
  // Refused, rightly, while there are others.
  await rmdir(folderOf(store)).catch(() => {})
}

/** Removes the checkpoints of processes that are no more. */
export async function dropAbandoned(store: string): Promise<void> {
  for (const id of await readdir(folderOf(store)).catch(() => [])) {
    const pid = Number.parseInt(id, 10)
    if (!(pid > 0) || !processExists(pid)) await rm(join(folderOf(store), id), { recursive: true, force: true })
  }
}

/**
 * Checkpoints: snapshots of the store in `checkpoints` next to it, from which another process makes a backup while the node runs.
 * They keep deleted data on disk, so each is removed when its backup ends.
 */
import { mkdir, readdir, rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Failure } from '../../store/model/failure.js'
import { processExists } from '../../store/engine/lock.js'
import type { Context } from '../call/context.js'

const folderOf = (store: string): string => join(dirname(store), 'checkpoints')

/** The paths of a checkpoint. */
interface Checkpoint {
  id: string
  store: string
  files: string
}

/** The checkpoint of a backup: with a mark for the next one, and the keys changed since the previous one. */
interface MarkedCheckpoint extends Checkpoint {
  mark: string
  /** Key prefixes (store/engine/changedKeys.ts); absent when unknown. */
  changed?: string[]
}

/** Creates a checkpoint for the backup process `pid`; `since` is the mark of the previous one. */
export async function markCheckpoint(node: Context, pid: number, since: string | undefined): Promise<MarkedCheckpoint> {
  const { changedKeys } = node.store
  const mark = changedKeys.mark()
  const checkpoint = await writeCheckpoint(node, pid)
  // Writes during the linking of files may already be included.
  const changed = since === undefined ? undefined : changedKeys.since(since)
  return { ...checkpoint, mark, ...(changed === undefined ? {} : { changed: [...changed] }) }
}

/** Creates a checkpoint for the process `pid`, which lasts as long as that process. */
export async function writeCheckpoint(node: Context, pid: number): Promise<Checkpoint> {
  await dropAbandoned(node.store.folder)
  // The name contains the owner, so that no checkpoint is ever without one.
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
  if (!/^\d+-[a-z0-9]+$/.test(id)) throw new Failure('invalid-parameters-format', 'Invalid checkpoint id.')
  await rm(join(folderOf(store), id), { recursive: true, force: true })
  // Fails, as intended, while there are others.
  await rmdir(folderOf(store)).catch(() => {})
}

/** Removes the checkpoints of dead processes. */
export async function dropAbandoned(store: string): Promise<void> {
  for (const id of await readdir(folderOf(store)).catch(() => [])) {
    const pid = Number.parseInt(id, 10)
    if (!(pid > 0) || !processExists(pid)) await rm(join(folderOf(store), id), { recursive: true, force: true })
  }
}

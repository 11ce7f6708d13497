/** The node key of a store that is repaired: that of its home, or of the backup, and the record that binds the store to it. */
import { existsSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { Archive } from '../../../store/backup/archive.js'
import { homeIn } from '../../../store/backup/restore.js'
import type { Database } from '../../../store/engine/database.js'
import { nodeKeys } from '../../../store/engine/keys.js'
import { Secret } from '../../../store/model/secret.js'
import { createNodeKey, readNodeKey, type Opening } from '../../../store/keyring/nodeKey.js'
import { NodeKeyLost, NodeKeyUnusable } from '../../../store/keyring/nodeKeyUnusable.js'
import { FORMAT, isSealedWith, type FormatRecord } from '../../../store/engine/open.js'
import { createSeal, type Seal } from '../../../store/keyring/seal.js'
import { newId } from '../../base/ids.js'
import type { HomePlaces } from '../../launch/init.js'

/** The node key that a repair works with. */
export interface UsedKey {
  seal: Seal
  key: Secret<Uint8Array>
  /** Whether the home has none that can be used. */
  isFromBackup: boolean
  /** Whether the record that binds the store to it had to be made again. */
  isBound: boolean
}

interface Sources {
  archive: Archive | undefined
  passphrase: Opening['passphrase']
  now(): number
}

/** The key of the store: that of the home, or of the backup where the home has none that can be used. */
export async function keyFor(places: HomePlaces, db: Database, { archive, passphrase, now }: Sources): Promise<UsedKey> {
  const own = await readNodeKey(places.key, { passphrase }).catch((error: unknown) => {
    if (error instanceof NodeKeyUnusable && archive !== undefined) return undefined
    throw error
  })
  const stored = archive === undefined || own !== undefined ? undefined : new Secret<Uint8Array>((await homeIn(archive)).key)
  const key = own ?? stored
  if (key === undefined) throw new NodeKeyLost(`The node key ${places.key} is missing: without it, nobody's tokens can be read.`)
  const seal = await createSeal(key)
  const format = formatIn(db)
  if (format !== undefined && !isSealedWith(format, seal)) {
    throw new NodeKeyUnusable(`The node key ${places.key} is not the one that the store ${places.store} was made with.`)
  }
  if (format === undefined) await bind(db, seal, now())
  return { seal, key, isFromBackup: own === undefined, isBound: format === undefined }
}

function formatIn(db: Database): FormatRecord | undefined {
  try {
    const record = JSON.parse(db.get(nodeKeys.format) ?? '') as Partial<FormatRecord>
    return typeof record.node === 'string' && typeof record.sealed === 'string' ? (record as FormatRecord) : undefined
  } catch {
    return undefined
  }
}

/** The record that says what the database is, for one that has lost it. */
async function bind(db: Database, seal: Seal, now: number): Promise<void> {
  const node = newId()
  const batch = db.batch()
  batch.put(nodeKeys.format, JSON.stringify({ format: FORMAT, node, created: now, sealed: seal.seal(node, nodeKeys.format) }))
  await batch.write({ sync: true })
}

/** Puts the key of the backup into the home; what is in its place goes to `kept`. */
export async function putKey({ key: path }: HomePlaces, { key }: UsedKey, stored: string): Promise<void> {
  if (existsSync(path)) {
    await rename(path, join(stored, 'node.key'))
  }
  await createNodeKey(path, { by: 'file' }, key)
}

/** Node key for a repair: that of the home or of the backup, and the format record that binds the store to it. */
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

/** Node key used by a repair. */
export interface UsedKey {
  seal: Seal
  key: Secret<Uint8Array>
  /** True when the home has no usable key. */
  isFromBackup: boolean
  /** True when the format record had to be recreated. */
  isBound: boolean
}

interface Sources {
  archive: Archive | undefined
  passphrase: Opening['passphrase']
  now(): number
}

/** Returns the key of the store: that of the home, or that of the backup if the home has no usable one. */
export async function keyFor(places: HomePlaces, db: Database, { archive, passphrase, now }: Sources): Promise<UsedKey> {
  const own = await readNodeKey(places.key, { passphrase }).catch((error: unknown) => {
    if (error instanceof NodeKeyUnusable && archive !== undefined) return undefined
    throw error
  })
  const fromBackup = archive === undefined || own !== undefined ? undefined : new Secret<Uint8Array>((await homeIn(archive)).key)
  const key = own ?? fromBackup
  if (key === undefined) throw new NodeKeyLost(`The node key ${places.key} is missing: without it, access tokens cannot be decrypted.`)
  const seal = await createSeal(key)
  const format = formatIn(db)
  if (format !== undefined && !isSealedWith(format, seal)) {
    throw new NodeKeyUnusable(`The node key ${places.key} does not match the store ${places.store}.`)
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

/** Writes the format record of a database that has lost it. */
async function bind(db: Database, seal: Seal, now: number): Promise<void> {
  const node = newId()
  const batch = db.batch()
  batch.put(nodeKeys.format, JSON.stringify({ format: FORMAT, node, created: now, sealed: seal.seal(node, nodeKeys.format) }))
  await batch.write({ sync: true })
}

/** Installs the key of the backup in the home; moves the existing key to `kept`. */
export async function putKey({ key: path }: HomePlaces, { key }: UsedKey, kept: string): Promise<void> {
  if (existsSync(path)) {
    await rename(path, join(kept, 'node.key'))
  }
  await createNodeKey(path, { by: 'file' }, key)
}

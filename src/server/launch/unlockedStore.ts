/** Opens a store together with the key of its secrets. */
import { NodeKeyLost, NodeKeyUnusable } from '../../store/keyring/nodeKeyUnusable.js'
import { readNodeKey, type Opening } from '../../store/keyring/nodeKey.js'
import { isSealedWith, openStore, type OpenedStore, type StorePlace } from '../../store/engine/open.js'
import { assertOwnStore } from '../../store/engine/lock.js'
import { createSeal, type Seal } from '../../store/keyring/seal.js'

export interface StoreAndKey extends Omit<StorePlace, 'folder'> {
  /** The store's folder. */
  store: string
  /** The file that describes the storage of the node key. */
  key: string
  /** Returns the passphrase of a protected key. */
  passphrase?: Opening['passphrase']
}

interface UnlockedStore {
  opened: OpenedStore
  nodeKey: NonNullable<Awaited<ReturnType<typeof readNodeKey>>>
  seal: Seal
}

/**
 * Opens a store and its key; creates nothing. The caller must close `opened`.
 * @throws NoStore, StoreForeign, StoreLocked, StoreDamaged, FormatUnknown, NodeKeyUnusable or WrongPassphrase
 */
export async function unlockStore({ store, key, passphrase, ...place }: StoreAndKey): Promise<UnlockedStore> {
  assertOwnStore(store)
  const opened = await openStore({ ...place, folder: store })
  try {
    const nodeKey = await readNodeKey(key, { passphrase })
    if (nodeKey === undefined) throw new NodeKeyLost(`The node key ${key} is missing. Without it, tokens cannot be decrypted.`)
    const seal = await createSeal(nodeKey)
    if (!isSealedWith(opened.format, seal)) throw new NodeKeyUnusable(`The node key ${key} does not belong to the store ${store}.`)
    return { opened, nodeKey, seal }
  } catch (error) {
    await opened.close()
    throw error
  }
}

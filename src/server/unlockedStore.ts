/** A store with the key that opens what is sealed in it. */
import { NodeKeyLost, NodeKeyUnusable } from '../store/keyring/nodeKeyUnusable.js'
import { readNodeKey, type Opening } from '../store/keyring/nodeKey.js'
import { isSealedWith, openStore, type OpenedStore, type StorePlace } from '../store/engine/open.js'
import { assertOwnStore } from '../store/engine/lock.js'
import { createSeal, type Seal } from '../store/keyring/seal.js'

export interface StoreAndKey extends Omit<StorePlace, 'folder'> {
  /** The store's folder. */
  store: string
  /** The file that says where the node key is kept. */
  key: string
  /** Asked for the passphrase when the key is behind one. */
  passphrase?: Opening['passphrase']
}

export interface UnlockedStore {
  opened: OpenedStore
  nodeKey: NonNullable<Awaited<ReturnType<typeof readNodeKey>>>
  seal: Seal
}

/**
 * Opens a store and its key; nothing is created. Whoever has it closes `opened`.
 * @throws NoStore, StoreForeign, StoreLocked, StoreDamaged, FormatUnknown, NodeKeyUnusable or WrongPassphrase
 */
export async function unlockStore({ store, key, passphrase, ...place }: StoreAndKey): Promise<UnlockedStore> {
  assertOwnStore(store)
  const opened = await openStore({ ...place, folder: store })
  try {
    const nodeKey = await readNodeKey(key, { passphrase })
    if (nodeKey === undefined) throw new NodeKeyLost(`The node key ${key} is missing: without it, nobody's tokens can be read.`)
    const seal = await createSeal(nodeKey)
    if (!isSealedWith(opened.format, seal)) throw new NodeKeyUnusable(`The node key ${key} is not the one that the store ${store} was made with.`)
    return { opened, nodeKey, seal }
  } catch (error) {
    await opened.close()
    throw error
  }
}

/** Changes the protection of the node key of a closed home. */
import { keyStorageOf, moveNodeKey, type KeyStorage, type KeyStorageOptions, type Opening } from '../../store/keyring/nodeKey.js'
import { systemClock } from '../base/clock.js'
import type { HomePlaces } from '../launch/init.js'
import { unlockStore } from '../launch/unlockedStore.js'

/**
 * Moves the node key, which must be the key of the store, while the store is locked. Calls `keyStorage` once the key is unlocked.
 * @throws NoStore, StoreLocked, StoreDamaged, FormatUnknown, NodeKeyUnusable, WrongPassphrase
 */
export async function rekeyHome(
  { store, key: path }: Pick<HomePlaces, 'store' | 'key'>,
  passphrase: Opening['passphrase'],
  keyStorage: () => Promise<KeyStorageOptions>,
): Promise<{ from: KeyStorage; to: KeyStorage }> {
  const { opened, nodeKey } = await unlockStore({ store, key: path, passphrase, now: () => systemClock.now() })
  try {
    const from = await keyStorageOf(path)
    if (from === undefined) throw new Error(`The node key ${path} was removed while it was in use.`)
    const wanted = await keyStorage()
    await moveNodeKey(path, wanted, nodeKey)
    return { from, to: wanted.by }
  } finally {
    await opened.close()
  }
}

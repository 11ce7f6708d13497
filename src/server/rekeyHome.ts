/** Keeps the key of a closed home another way. */
import { keeperOf, moveNodeKey, type Keeper, type Keeping, type Opening } from '../store/nodeKey.js'
import { systemClock } from './clock.js'
import type { HomePlaces } from './init.js'
import { unlockStore } from './unlockedStore.js'

/**
 * Moves the key, which must be the one of the store; nobody else opens the store meanwhile. `keeping` is asked once the
 * key was opened.
 * @throws NoStore, StoreLocked, StoreDamaged, FormatUnknown, NodeKeyUnusable, WrongPassphrase
 */
export async function rekeyHome(
  { store, key: path }: Pick<HomePlaces, 'store' | 'key'>,
  passphrase: Opening['passphrase'],
  keeping: () => Promise<Keeping>,
): Promise<{ from: Keeper; to: Keeper }> {
  const { opened, nodeKey } = await unlockStore({ store, key: path, passphrase, now: () => systemClock.now() })
  try {
    const from = await keeperOf(path)
    if (from === undefined) throw new Error(`The node key ${path} went while it was in use.`)
    const wanted = await keeping()
    await moveNodeKey(path, wanted, nodeKey)
    return { from, to: wanted.by }
  } finally {
    await opened.close()
  }
}

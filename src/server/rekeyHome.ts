/** Keeps the key of a closed home another way. */
import { keeperOf, moveNodeKey, readNodeKey, type Keeper, type Keeping, type Opening } from '../store/nodeKey.js'
import { NodeKeyUnusable } from '../store/nodeKeyUnusable.js'
import { isSealedWith, openStore } from '../store/open.js'
import { createSeal } from '../store/seal.js'
import { systemClock } from './clock.js'
import type { HomePlaces } from './init.js'

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
  const opened = await openStore({ folder: store, now: () => systemClock.now() })
  try {
    const from = await keeperOf(path)
    const key = await readNodeKey(path, { passphrase })
    if (from === undefined || key === undefined) throw new NodeKeyUnusable(`The node key ${path} is missing: without it, nobody's tokens can be read.`)
    if (!isSealedWith(opened.format, await createSeal(key))) {
      throw new NodeKeyUnusable(`The node key ${path} is not the one that the store ${store} was made with.`)
    }
    const wanted = await keeping()
    await moveNodeKey(path, wanted, key)
    return { from, to: wanted.by }
  } finally {
    await opened.close()
  }
}

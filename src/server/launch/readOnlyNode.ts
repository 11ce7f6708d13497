/** The part of a node that reading accounts requires, for commands that list them without loading the rest. */
import { randomBytes } from 'node:crypto'
import { createStoreView } from '../../store/index.js'
import { createRecorder } from '../../sync/crdt/document.js'
import { configuredBase } from '../config/apiEndpoint.js'
import { systemClock } from '../base/clock.js'
import type { Config } from '../config/config.js'
import { createAccountCache } from '../call/accountCache.js'
import type { Context } from '../call/context.js'
import { unlockStore, type StoreAndKey } from './unlockedStore.js'
import { createUsageTracker } from '../call/usage.js'

/** The parts of a node that account views need. */
export type ReadingNode = Pick<Context, 'store' | 'config' | 'usage' | 'accounts' | 'publicBase'>

/** Opens it. @throws the errors of unlockStore */
export async function openReadOnlyNode(
  { config, ...at }: Pick<StoreAndKey, 'store' | 'key' | 'passphrase'> & { config: Config },
): Promise<{ node: ReadingNode; close(): Promise<void> }> {
  const { opened, seal } = await unlockStore({ ...at, now: () => systemClock.now() })
  try {
    const store = await createStoreView(opened, seal, createRecorder({ actor: randomBytes(16).toString('hex') }))
    const usage = createUsageTracker(store, false)
    const base = configuredBase(config)
    return {
      node: { store, config, usage, accounts: createAccountCache(store), publicBase: () => base },
      async close() {
        usage.stop()
        await store.close()
      },
    }
  } catch (error) {
    await opened.close()
    throw error
  }
}

/** A store that no node runs, opened for work on it alone: also where a node would not open, such as without its key. */
import { isSealedWith, openStore } from '../../store/open.js'
import { keyFile } from '../../store/nodeKey.js'
import { createSeal } from '../../store/seal.js'
import { systemClock } from '../clock.js'
import { groundOfOpened, type Ground } from './ground.js'

export interface ClosedStore {
  ground: Ground
  /** Why what is sealed cannot be read; undefined when it can. */
  keyProblem: string | undefined
  close(): Promise<void>
}

/** Opens it. @throws NoStore, StoreLocked, StoreDamaged, FormatUnknown */
export async function openClosedStore({ store, key }: { store: string; key: string }): Promise<ClosedStore> {
  const opened = await openStore({ folder: store, now: () => systemClock.now() })
  try {
    const found = await keyFile(key).read().catch((error: unknown) => (error instanceof Error ? error.message : String(error)))
    const seal = found === undefined || typeof found === 'string' ? undefined : await createSeal(found)
    const fits = seal !== undefined && isSealedWith(opened.format, seal)
    const wrong = seal === undefined ? `The node key ${key} is missing.` : `The node key ${key} is not the one that the store was made with.`
    return {
      ground: groundOfOpened(opened, fits ? seal : undefined),
      keyProblem: fits ? undefined : typeof found === 'string' ? found : wrong,
      close: () => opened.close(),
    }
  } catch (error) {
    await opened.close()
    throw error
  }
}

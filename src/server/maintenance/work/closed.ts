/** Store opened for maintenance without a running node, even without its key. */
import { isSealedWith, openStore } from '../../../store/engine/open.js'
import { readNodeKey, type Opening } from '../../../store/keyring/nodeKey.js'
import { NodeKeyLost, NodeKeyUnusable } from '../../../store/keyring/nodeKeyUnusable.js'
import { assertOwnStore } from '../../../store/engine/lock.js'
import { WrongPassphrase } from '../../../store/keyring/passphraseEncryption.js'
import { createSeal } from '../../../store/keyring/seal.js'
import { systemClock } from '../../base/clock.js'
import { workTargetOfOpened, type WorkTarget } from './workTarget.js'

interface ClosedStore {
  ground: WorkTarget
  /** Reason that encrypted data cannot be read; undefined when it can. */
  keyProblem: Error | undefined
  close(): Promise<void>
}

/**
 * Opens a closed store.
 * @throws NoStore, StoreForeign, StoreLocked, StoreDamaged, FormatUnknown, WrongPassphrase, and errors of `passphrase`
 */
export async function openClosedStore({ store, key }: { store: string; key: string }, passphrase?: Opening['passphrase']): Promise<ClosedStore> {
  assertOwnStore(store)
  const opened = await openStore({ folder: store, now: () => systemClock.now(), isShared: true })
  try {
    let refusal: { cause: unknown } | undefined
    const input = passphrase === undefined ? undefined : (): ReturnType<typeof passphrase> =>
      passphrase().catch((cause: unknown) => {
        refusal = { cause }
        throw cause
      })
    const found = await readNodeKey(key, { passphrase: input }).catch((error: unknown) => {
      // The user at the terminal can correct this at once.
      if (error instanceof WrongPassphrase || refusal !== undefined) throw error
      return error instanceof Error ? error : new Error(String(error))
    })
    const seal = found === undefined || found instanceof Error ? undefined : await createSeal(found)
    const fits = seal !== undefined && isSealedWith(opened.format, seal)
    const wrong =
      seal === undefined
        ? new NodeKeyLost(`The node key ${key} is missing.`)
        : new NodeKeyUnusable(`The node key ${key} does not match the store.`)
    return {
      ground: { ...workTargetOfOpened(opened, fits ? seal : undefined), isShared: true },
      keyProblem: fits ? undefined : found instanceof Error ? found : wrong,
      close: () => opened.close(),
    }
  } catch (error) {
    await opened.close()
    throw error
  }
}

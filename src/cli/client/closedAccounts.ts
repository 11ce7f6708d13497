/** Reads accounts of a closed store; other methods are unavailable. */
import { accountReading } from '../../server/control/methods/accountReading.js'
import { openReadOnlyNode } from '../../server/readOnlyNode.js'
import type { Config } from '../../server/config/config.js'
import type { Opening } from '../../store/keyring/nodeKey.js'
import { pathsOf } from '../framework/paths.js'
import type { AccountsClient } from './nodeClient.js'
import { storeProblem } from './storeProblem.js'

const has = (method: string): method is keyof typeof accountReading => Object.hasOwn(accountReading, method)

/**
 * Opens the store in `home`.
 * @throws CommandError as openOffline does
 */
export async function openClosedAccounts(home: string, config: Config, passphrase?: Opening['passphrase']): Promise<AccountsClient> {
  const { store, key } = pathsOf({ home, env: {} })
  const { node, close } = await openReadOnlyNode({ store, key, passphrase, config }).catch((error: unknown) => {
    throw storeProblem(error, home)
  })
  return {
    async call(method, params) {
      if (!has(method)) throw new Error(`${method} does not read accounts`)
      return JSON.parse(JSON.stringify(await accountReading[method](node, { ...(params as object) }))) as Record<string, unknown>
    },
    close,
  }
}

/** Client of a closed store that reads accounts; other methods are unavailable. */
import { listUsers, showUser } from '../../server/control/methods/accountReading.js'
import { listNames } from '../../server/control/methods/accountLookup.js'
import { callOperator } from '../../server/control/operatorMethod.js'
import { openReadOnlyNode } from '../../server/launch/readOnlyNode.js'
import type { Config } from '../../server/config/config.js'
import type { Opening } from '../../store/keyring/nodeKey.js'
import { pathsOf } from '../framework/paths.js'
import { typedClient, type AccountsClient } from './nodeClient.js'
import { storeProblem } from './storeProblem.js'

const methods = [listNames, listUsers, showUser]

/**
 * Opens the store in `home`.
 * @throws CommandError as openOffline does
 */
export async function openClosedAccounts(home: string, config: Config, passphrase?: Opening['passphrase']): Promise<AccountsClient> {
  const { store, key } = pathsOf({ home, env: {} })
  const { node, close } = await openReadOnlyNode({ store, key, passphrase, config }).catch((error: unknown) => {
    throw storeProblem(error, home)
  })
  return typedClient({
    async call(id, params) {
      const method = methods.find((each) => each.id === id)
      if (method === undefined) throw new Error(`${id} is not available on a closed store`)
      return JSON.parse(JSON.stringify(await callOperator(method, { node }, params))) as Record<string, unknown>
    },
    close,
  })
}

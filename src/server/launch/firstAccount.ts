/** Creates the first account of a new node. */
import { createSystemStreams } from '../../store/model/systemStreams.js'
import type { Config } from '../config/config.js'
import { assertPasswordStrength } from '../auth/password.js'
import { openNode, type NodeOptions } from '../index.js'
import { createLog } from '../base/log.js'
import type { Result } from '../call/method.js'
import { createControl } from '../control/control.js'
import { operatorMethods } from '../control/operatorMethods.js'
import { readRegistration } from '../api/register/input.js'
import { assertNotReserved } from '../api/register/createUser.js'

/** Parameters of `users.create`: `{ username, password, email?, … }`. */
export type FirstAccount = Readonly<Record<string, unknown>> & { username: string; password: string }

/** Validates the account with the rules of registration, before anything is created. */
export function checkFirstAccount(config: Config, input: FirstAccount): void {
  const systemStreams = createSystemStreams(config.get('custom.systemStreams.account'))
  const { username, password } = readRegistration({ appId: 'coffer-cli', ...input }, systemStreams)
  assertPasswordStrength(config, password)
  assertNotReserved(config, username)
}

/** Creates the account in a new store that is not open; returns the result of `users.create`. */
export async function createFirstAccount(
  { draft, key, passphrase, config, account }: Pick<NodeOptions, 'key' | 'passphrase' | 'config'> & { draft: string; account: FirstAccount },
): Promise<Result> {
  const node = await openNode({ store: draft, key, passphrase, config, log: createLog('silent', () => 0, () => undefined) })
  try {
    return await createControl(node, [], operatorMethods).call('users.create', { ...account }, {})
  } finally {
    await node.close()
  }
}

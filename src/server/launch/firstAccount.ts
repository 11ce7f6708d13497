/** The account that comes with a new node. */
import { Failure } from '../../store/model/failure.js'
import { createSystemStreams } from '../../store/model/systemStreams.js'
import type { Config } from '../config/config.js'
import { assertPasswordStrength } from '../guard/password.js'
import { openNode, type NodeOptions } from '../index.js'
import { createLog } from '../base/log.js'
import type { Result } from '../method.js'
import { nodeMethods } from '../control/nodeMethods.js'
import { readRegistration } from '../register/input.js'
import { isReservedUsername } from '../register/reserved.js'

/** What `users.create` takes: `{ username, password, email?, … }`. */
export type FirstAccount = Readonly<Record<string, unknown>> & { username: string; password: string }

/** Refuses, as a registration would, what the new node is going to refuse; nothing needs to be there yet. */
export function checkFirstAccount(config: Config, input: FirstAccount): void {
  const systemStreams = createSystemStreams(config.get('custom.systemStreams.account'))
  const { username, password } = readRegistration({ appId: 'coffer-cli', ...input }, systemStreams)
  assertPasswordStrength(config, password)
  if (isReservedUsername(config, username)) {
    throw new Failure('item-already-exists', 'This username is reserved.', { username })
  }
}

/** Makes the account in a store that nobody has open; answers what `users.create` does. */
export async function createFirstAccount(
  { draft, key, passphrase, config, account }: Pick<NodeOptions, 'key' | 'passphrase' | 'config'> & { draft: string; account: FirstAccount },
): Promise<Result> {
  const node = await openNode({ store: draft, key, passphrase, config, log: createLog('silent', () => 0, () => undefined) })
  try {
    return (await nodeMethods['users.create']?.(node, { ...account })) ?? {}
  } finally {
    await node.close()
  }
}

import { accountOf } from '../../client/user.js'
import type { NodeClient } from '../../client/nodeClient.js'
import { CommandError } from '../../framework/exit.js'
import { Failure } from '../../../store/model/failure.js'

/**
 * Returns the account that a request is shown or approved for. A request names no account: it belongs to the one that approves it,
 * so none can be found by its key.
 * @param command verb of the command, for the next step
 * @throws Failure `unknown-access-key`, before an account is required; errors of accountOf
 */
export async function accountForRequest(client: NodeClient, key: string, user: string | undefined, command: 'show' | 'approve'): Promise<string> {
  try {
    return (await accountOf(client, user)).user
  } catch (error) {
    if (!(error instanceof CommandError) || error.exit !== 2) throw error
    const { requests } = await client.call('requests.list', {}, {})
    if (!requests.some((request) => request.key.startsWith(key))) throw new Failure('unknown-access-key', `There is no access request "${key}".`)
    const hint = `${typeof error.hint === 'string' ? error.hint : ''}\nFor example: coffer requests ${command} ${key} --user <username>`
    throw new CommandError('A request belongs to the account that approves it; --user <username> is missing, and there is more than one account', { exit: 2, hint })
  }
}

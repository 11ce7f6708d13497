/** Resolves the account of a command. */
import { Failure } from '../../store/model/failure.js'
import { CommandError, usageError } from '../framework/exit.js'
import { text } from '../framework/option.js'
import { recordOf } from './answer.js'
import { selectedAccount, type AccountNames, type SelectedAccount } from './defaultAccount.js'
import type { AccountsClient, NodeClient } from './nodeClient.js'

/** `--user`, for every command that works in one account. */
export const userOption = text('The account; optional with a single or a default account', { placeholder: 'username', names: 'user' })

/** Argument of commands about one account. */
export const userArgument = text('Username of the account; optional with a single or a default account', { names: 'user' })

/**
 * Returns the account of a command: that of `--user`, else of COFFER_USER, else the default account of the node, else the only
 * account.
 * @param hint next step when there is no account
 * @throws CommandError 5 without accounts or for one that no longer exists, 2 when there are several and no default
 */
export async function accountOf(
  client: AccountsClient,
  given: string | undefined,
  hint = 'Create one: coffer users create <username>',
): Promise<{ user: string }> {
  if (given !== undefined) return { user: given }
  const users = await accountNames(client)
  const selected = selectedAccount(users, client.choice)
  if (selected !== undefined) return useSelected(client, selected, users.length)
  const [only] = users
  if (only === undefined) throw new CommandError('There is no account yet.', { exit: 5, hint })
  if (users.length === 1) return { user: only.username }
  throw severalAccounts(users)
}

/** Returns the names of the accounts of a node. */
export async function accountNames(client: AccountsClient): Promise<AccountNames[]> {
  return (await client.call('users.names', {}, {})).users
}

/** Returns the selected account, and notes it where several exist. */
export function useSelected(client: AccountsClient, { account, by }: SelectedAccount<AccountNames>, count: number): { user: string } {
  const { username } = account
  if (count > 1) client.choice?.note(`As ${username} (${by})`)
  return { user: username }
}

/** Creates the error for a missing `--user`. */
function severalAccounts(users: readonly Pick<AccountNames, 'username'>[]): CommandError {
  const names = users.map(({ username }) => username)
  const some = names.length > 5 ? `${names.slice(0, 5).join(', ')}, …` : names.join(', ')
  return usageError(
    '--user <username> is missing, and there is more than one account',
    `Choose one: ${some}\nOr set a default: coffer users use <username>`,
  )
}

/** Calls any method, as the account of the command if none is given and the method requires one. */
export async function callAs(
  client: NodeClient,
  method: string,
  params: unknown,
  user: string | undefined,
): Promise<Record<string, unknown>> {
  try {
    return await client.callAny(method, params, user === undefined ? {} : { user })
  } catch (error) {
    // Nothing has run: the node refuses a missing user before it does anything.
    if (user !== undefined || !(error instanceof Failure) || recordOf(error.data)['missing'] !== 'user') throw error
    return client.callAny(method, params, await accountOf(client, undefined))
  }
}

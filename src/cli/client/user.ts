/** Resolves the account of a command. */
import { Failure } from '../../store/model/failure.js'
import { CommandError, usageError } from '../framework/exit.js'
import { text } from '../framework/option.js'
import { recordOf } from './answer.js'
import type { NodeClient } from './nodeClient.js'

/** `--user`, for every command that works in one account. */
export const userOption = text('The account; optional with a single account', { placeholder: 'username', names: 'user' })

/**
 * Returns the account of a command: that of `--user`, else the only account.
 * @param hint next step when there is no account
 * @throws CommandError 5 without accounts, 2 when there are several
 */
export async function accountOf(
  client: NodeClient,
  given: string | undefined,
  hint = 'Create one: coffer users create <username>',
): Promise<{ user: string }> {
  if (given !== undefined) return { user: given }
  const { users } = await client.call('users.list', {}, {})
  const names = users.map(({ username }) => username)
  const [only] = names
  if (only === undefined) {
    throw new CommandError('There is no account yet.', { exit: 5, hint })
  }
  if (names.length === 1) return { user: only }
  const some = names.length > 5 ? `${names.slice(0, 5).join(', ')}, …` : names.join(', ')
  throw usageError('--user <username> is missing, and there is more than one account', `Choose one: ${some}`)
}

/** Calls any method, as the only account if none is given and the method requires one. */
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

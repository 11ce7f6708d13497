/** Whose account a command works in. */
import { Failure } from '../../store/model/failure.js'
import { CommandError, usageError } from '../framework/exit.js'
import { text } from '../framework/option.js'
import { listOf, recordOf, textOf } from './answer.js'
import type { NodeClient } from './nodeClient.js'

/** `--user`, for every command that works in one account. */
export const userOption = text('The account; needless when there is only one', { placeholder: 'username', names: 'user' })

/**
 * The account of a command: the one given by `--user`, else the only one there is.
 * @param hint what to do when there is none.
 * @throws CommandError 5 when there is none yet, 2 when there are several to choose from.
 */
export async function accountOf(
  client: NodeClient,
  given: string | undefined,
  hint = 'Make one: coffer users create <username>',
): Promise<{ user: string }> {
  if (given !== undefined) return { user: given }
  const { users } = await client.call('users.list', {}, {})
  const names = listOf(users).map((user) => textOf(user['username']))
  const [only] = names
  if (only === undefined) {
    throw new CommandError('There is no account yet.', { exit: 5, hint })
  }
  if (names.length === 1) return { user: only }
  const some = names.length > 5 ? `${names.slice(0, 5).join(', ')}, …` : names.join(', ')
  throw usageError('--user <username> is missing, and there is more than one account', `Choose one: ${some}`)
}

/** Calls any method, as the only account when none is given and the method belongs to one. */
export async function callAs(
  client: NodeClient,
  method: string,
  params: unknown,
  user: string | undefined,
): Promise<Record<string, unknown>> {
  try {
    return await client.call(method, params, user === undefined ? {} : { user })
  } catch (error) {
    // Nothing ran: the node asks whose account is meant before it does anything.
    if (user !== undefined || !(error instanceof Failure) || recordOf(error.data)['missing'] !== 'user') throw error
    return client.call(method, params, await accountOf(client, undefined))
  }
}

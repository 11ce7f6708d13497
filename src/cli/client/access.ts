/** Resolves the access that a command concerns or acts as. */
import { CommandError, usageError } from '../framework/exit.js'
import { text } from '../framework/option.js'
import { textOf } from './answer.js'
import type { Record_ } from './answer.js'
import type { AccountAuthority, Authority, NodeClient } from './nodeClient.js'
import { accountOf, userOption } from './user.js'

/** `--access`, for commands that can act with the rights of an access instead of the owner's. */
const accessOption = text('Act with the rights of this access, by its id or name', { placeholder: 'access', names: 'access' })

/** Options for the account and the access of a command. */
export const actingAs = { user: userOption, access: accessOption }

/** Returns the id without its version number. */
export const baseId = (id: string): string => id.replace(/:\d+$/, '')

/**
 * Finds an access by id or name, including expired ones.
 * @throws CommandError 5 when there is none, 2 when several have the name
 */
export async function accessNamed(client: NodeClient, as: Authority, word: string): Promise<Record_> {
  const { accesses } = await client.call('accesses.get', { includeExpired: true }, as)
  const all = accesses
  const byId = all.find((access) => access.id === word || baseId(access.id) === baseId(word))
  if (byId !== undefined) return byId
  const [first, ...more] = all.filter((access) => access.name === word)
  if (first === undefined) {
    throw new CommandError(`There is no access ${JSON.stringify(word)}.`, {
      exit: 5,
      hint: ['List the accesses', 'accesses', 'list', '--include-expired'],
      unknown: { kind: 'access', word },
    })
  }
  if (more.length === 0) return first
  const ids = [first, ...more].map((access) => access.id).join(', ')
  throw usageError(`More than one access is named ${JSON.stringify(word)}`, `Use the id of one: ${ids}`)
}

/** Resolves the authority of a command's calls: the account's owner, or the access given by `--access`. */
export async function authorityOf(
  client: NodeClient,
  { user, access }: { user: string | undefined; access: string | undefined },
): Promise<AccountAuthority> {
  return actingIn(client, await accountOf(client, user), access)
}

/** Returns the authority of an access in an account, given by id or name; of the owner if undefined. */
export async function actingIn(client: NodeClient, as: { user: string }, access: string | undefined): Promise<AccountAuthority> {
  return access === undefined ? as : { ...as, access: baseId(textOf((await accessNamed(client, as, access))['id'])) }
}

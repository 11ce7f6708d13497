/** The access that a command is about, or acts as. */
import { CommandError, usageError } from '../framework/exit.js'
import { text } from '../framework/option.js'
import { listOf, textOf } from './answer.js'
import type { Record_ } from './answer.js'
import type { Authority, NodeClient } from './nodeClient.js'
import { accountOf, userOption } from './user.js'

/** `--access`, for commands that can act with the rights of an access in place of the owner's. */
export const accessOption = text('Act with the rights of this access, by its id or name', { placeholder: 'access', names: 'access' })

/** Whose account a command works in, and with whose rights. */
export const actingAs = { user: userOption, access: accessOption }

/** The id without the number that counts its updates. */
export const baseId = (id: string): string => id.replace(/:\d+$/, '')

/**
 * The access of an id or a name, expired ones too.
 * @throws CommandError 5 when there is none, 2 when several have the name.
 */
export async function accessNamed(client: NodeClient, as: Authority, word: string): Promise<Record_> {
  const { accesses } = await client.call('accesses.get', { includeExpired: true }, as)
  const all = listOf(accesses)
  const byId = all.find((access) => textOf(access['id']) === word || baseId(textOf(access['id'])) === baseId(word))
  if (byId !== undefined) return byId
  const [first, ...more] = all.filter((access) => access['name'] === word)
  if (first === undefined) {
    throw new CommandError(`There is no access ${JSON.stringify(word)}.`, {
      exit: 5,
      hint: ['See what there is', 'accesses', 'list', '--include-expired'],
    })
  }
  if (more.length === 0) return first
  const ids = [first, ...more].map((access) => textOf(access['id'])).join(', ')
  throw usageError(`More than one access is named ${JSON.stringify(word)}`, `Say which by its id: ${ids}`)
}

/** Whose authority the calls of a command have: the owner's of the account, or that of an access named by `--access`. */
export async function authorityOf(
  client: NodeClient,
  { user, access }: { user: string | undefined; access: string | undefined },
): Promise<Authority> {
  const as = await accountOf(client, user)
  if (access === undefined) return as
  return { ...as, access: baseId(textOf((await accessNamed(client, as, access))['id'])) }
}

/** Resolves the account of a command about an id: the account that has it, when several exist and none is given. */
import { CommandError, usageError } from '../framework/exit.js'
import { actingIn } from './access.js'
import { accountOfDefault, selectedAccount } from './defaultAccount.js'
import type { AccountAuthority, NodeClient, ParamsOf } from './nodeClient.js'
import { accountNames, accountOf, useSelected } from './user.js'

/** Item that a command is about. */
interface Item {
  kind: ParamsOf<'users.holding'>['kind']
  /** Its id; also the name of an access, or the URL of a webhook. */
  id: string
}

/** Name of each kind in messages, and the command that lists it in one account. */
const kinds: Readonly<Record<Item['kind'], { noun: string; list: readonly string[] }>> = {
  event: { noun: 'event', list: ['events', 'list'] },
  access: { noun: 'access', list: ['accesses', 'list'] },
  webhook: { noun: 'webhook', list: ['webhooks', 'list'] },
  consent: { noun: 'consent', list: ['consents', 'list'] },
}

/**
 * Returns the account of an item: that of `--user` or COFFER_USER, else the default account if it has the item, else the only
 * account that has it.
 * @throws CommandError 5 when no account has it, 2 when several have it, errors of accountOf
 */
export async function accountHolding(client: NodeClient, given: string | undefined, item: Item): Promise<{ user: string }> {
  // Every account has the items of the system, such as account fields.
  if (given !== undefined || client.choice?.variable !== undefined || item.id.startsWith(':')) return accountOf(client, given)
  const users = await accountNames(client)
  if (users.length < 2) return accountOf(client, undefined)
  const { usernames } = await client.call('users.holding', item, {})
  const stored = client.choice?.stored()
  const preferred = stored === undefined ? undefined : accountOfDefault(users, stored)
  if (preferred !== undefined && usernames.includes(preferred.username)) return useSelected(client, { account: preferred, by: 'default account' }, users.length)
  const [only] = usernames
  const { noun, list } = kinds[item.kind]
  if (only === undefined) {
    // The default account, if any, must exist; the error names the item.
    selectedAccount(users, client.choice)
    throw new CommandError(`No account of this node has the ${noun} ${JSON.stringify(item.id)}.`, {
      exit: 5,
      hint: ['List those of an account', ...list, '--user', '<username>'],
      unknown: { kind: item.kind, word: item.id },
    })
  }
  if (usernames.length > 1) {
    throw usageError(`Several accounts have the ${noun} ${JSON.stringify(item.id)}; --user <username> is required`, `Choose one: ${usernames.slice(0, 5).join(', ')}${usernames.length > 5 ? ', …' : ''}`)
  }
  client.choice?.note(`As ${only}, the account with this ${noun}`)
  return { user: only }
}

/** Resolves the authority of calls about an item: the owner of its account, or the access given by `--access`. */
export async function authorityHolding(
  client: NodeClient,
  { user, access }: { user: string | undefined; access: string | undefined },
  item: Item,
): Promise<AccountAuthority> {
  return actingIn(client, await accountHolding(client, user, item), access)
}

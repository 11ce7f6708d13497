/** What disabling and resetting have in common: a question, and one call. */
import type { Context } from '../../command.js'
import { confirm } from '../../terminal/input/confirm.js'
import type { Authority } from '../../client/nodeClient.js'
import { accountOf, userOption } from '../../client/user.js'
import { flag } from '../../framework/option.js'

export const removeOptions = { user: userOption, yes: flag('Go on without a question', { short: 'y' }) }

/** Takes the factor of an account away by a call, once it was confirmed. */
export async function removeFactor(
  { out, connect, terminal }: Context,
  options: { user: string | undefined; yes: boolean },
  callFor: (user: string) => [method: string, params: Record<string, unknown>, as: Authority],
): Promise<void> {
  const client = await connect()
  const { user } = await accountOf(client, options.user)
  const { mfa } = await client.call('users.mfa', { username: user }, {})
  if (mfa !== null) {
    await confirm(terminal, `Take the second factor of ${user} away?`, options.yes)
    await client.call(...callFor(user))
  }
  const described = mfa === null ? `${user} has no second factor` : `${user} has no second factor any more`
  await out.result({ username: user, mfa: null }, { id: user, print: () => out.done(described) })
}

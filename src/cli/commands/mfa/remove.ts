/** Code shared by the commands that disable and reset a second factor: a confirmation and one API call. */
import type { Context } from '../../command.js'
import { confirm, yesOption } from '../../terminal/input/confirm.js'
import type { Authority } from '../../client/nodeClient.js'
import { accountOf, userOption } from '../../client/user.js'

export const removeOptions = { user: userOption, yes: yesOption() }

/** Removes the second factor of an account with an API call, after a confirmation. */
export async function removeFactor(
  { out, connect, terminal }: Context,
  options: { user: string | undefined; yes: boolean },
  callFor: (user: string) => [method: string, params: Record<string, unknown>, as: Authority],
): Promise<void> {
  const client = await connect()
  const { user } = await accountOf(client, options.user)
  const { mfa } = await client.call('users.mfa', { username: user }, {})
  if (mfa !== null) {
    await confirm(terminal, `Remove the second factor of ${user}?`, options.yes)
    await client.call(...callFor(user))
  }
  const message = mfa === null ? `${user} has no second factor` : `${user} no longer has a second factor`
  await out.result({ username: user, mfa: null }, { id: user, print: () => out.done(message) })
}

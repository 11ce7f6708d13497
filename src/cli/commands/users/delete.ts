import { command } from '../../command.js'
import { confirmByName, riskOption } from '../../terminal/input/confirm.js'
import { accountByName, accountOfDefault, defaultAccountOf, readDefaultAccount, writeDefaultAccount } from '../../client/defaultAccount.js'
import { accountNames } from '../../client/user.js'
import { text } from '../../framework/option.js'

/** `coffer users delete`. */
export const remove = command({
  path: ['users', 'delete'],
  summary: 'Delete an account and everything in it',
  description: 'Deletes all data of the account: streams, events, accesses, usernames. This cannot be undone.',
  arguments: { username: text('Username of the account', { required: true, names: 'user' }) },
  options: { acceptRisk: riskOption('lose-data') },
  examples: [
    { type: 'coffer users delete ana-lovelace', description: 'confirm by typing the name' },
    { type: 'coffer users delete ana-lovelace --accept-risk=lose-data', description: 'for scripts' },
  ],
  json: '{"userDeletion":{"username"}}',
  offline: true,
  async run(context, { username, acceptRisk }) {
    const { out, connect, terminal } = context
    const client = await connect()
    // An unknown account is reported before the prompt.
    await client.call('users.show', { username }, {})
    await confirmByName(
      terminal,
      { name: username, risk: 'lose-data', warning: `Everything in the account ${username} will be permanently deleted.` },
      acceptRisk,
    )
    const place = defaultAccountOf(context)
    const stored = readDefaultAccount(place)
    const users = await accountNames(client)
    const isDefault = stored !== undefined && accountOfDefault(users, stored) === accountByName(users, username)
    const answer = await client.call('users.delete', { username }, {})
    if (isDefault) await writeDefaultAccount(place, undefined)
    await out.result(answer, { id: username, print: () => {
        out.done(`Account ${username} deleted`)
        if (isDefault) out.note('It was the default account; commands have none now')
      },
    })
  },
})

import { command } from '../../command.js'
import { accountByName, accountOfDefault, defaultAccountOf, readDefaultAccount, writeDefaultAccount } from '../../client/defaultAccount.js'
import { accountNames } from '../../client/user.js'
import { text } from '../../framework/option.js'

/** `coffer users rename`. */
export const rename = command({
  path: ['users', 'rename'],
  summary: 'Change the username of an account',
  description:
    'The old name stays reserved for the account: logins, tokens and URLs that use it keep working. The change does not count towards the limit of changes by the owner. An account without a username is given by its id (coffer users list --unnamed).',
  arguments: {
    username: text('Username of the account', { required: true, names: 'user' }),
    name: text('New username: 5 to 60 lowercase letters, digits and dashes', { required: true }),
  },
  examples: [{ type: 'coffer users rename ana-byron ana-lovelace', description: 'rename; the old name keeps working' }],
  json: '{"account":{"username","email","language","storageUsed","emails"}}, as in the result of account.get',
  offline: true,
  async run(context, { username, name }) {
    const { out, connect } = context
    const client = await connect()
    const answer = await client.call('users.rename', { username, newUsername: name }, {})
    const place = defaultAccountOf(context)
    const stored = readDefaultAccount(place)
    if (stored !== undefined) {
      const users = await accountNames(client)
      const renamed = accountByName(users, name)
      if (renamed !== undefined && accountOfDefault(users, stored) === renamed) await writeDefaultAccount(place, renamed)
    }
    await out.result(answer, {
      id: name.toLowerCase(),
      print: () => out.done(`Account ${username} renamed to ${name.toLowerCase()}; the old name keeps working`),
    })
  },
})

import { command } from '../../command.js'
import { text } from '../../framework/option.js'

/** `coffer users rename`. */
export const rename = command({
  path: ['users', 'rename'],
  summary: 'Give an account another username',
  description:
    'The old name stays with the account: logins, tokens and addresses with it go on working, and nobody else gets it. It does not count as one of the changes that the owner may make. An account whose names were freed is named by its id (coffer users list --unnamed).',
  arguments: {
    username: text('The account', { required: true, names: 'user' }),
    name: text('The new username: 5 to 60 small letters, digits and dashes', { required: true }),
  },
  examples: [{ type: 'coffer users rename ana-byron ana-lovelace', says: 'a new name, the old one still leads to it' }],
  json: '{"account":{"username","email","language","storageUsed","emails"}}, as account.get answers it',
  offline: true,
  async run({ out, connect }, { username, name }) {
    const client = await connect()
    const answer = await client.call('users.rename', { username, newUsername: name }, {})
    await out.result(answer, {
      id: name.toLowerCase(),
      print: () => out.done(`Account ${username} is ${name.toLowerCase()} now; ${username} still leads to it`),
    })
  },
})

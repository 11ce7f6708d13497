import { command } from '../../command.js'
import { usageError } from '../../framework/exit.js'
import { accountOf, userArgument } from '../../client/user.js'
import { list, text } from '../../framework/option.js'
import { emailLine } from './emailLine.js'

/** `coffer users set-email`. */
export const setEmail = command({
  path: ['users', 'set-email'],
  summary: 'Set the e-mail addresses of an account',
  description:
    'Addresses set here count as verified by the operator; no mail is sent. Mail to the account goes to the primary address. The previous primary address stays as an additional one until it is removed.\n\nAll changes are applied, or none: additions first, then the primary address, then removals.',
  arguments: { username: userArgument, address: text('New primary address') },
  options: {
    add: list('Additional address', { placeholder: 'address' }),
    remove: list('Address to remove; it must not be the primary one', { placeholder: 'address' }),
  },
  examples: [
    { type: 'coffer users set-email ana-lovelace ana@example.org', description: 'set a new primary address' },
    { type: 'coffer users set-email ana@example.org', description: 'the same, for the only account' },
    { type: 'coffer users set-email ana-lovelace ana@new.example --remove ana@old.example', description: 'replace the old one' },
    { type: 'coffer users set-email ana-lovelace --add ana@work.example', description: 'add another one' },
  ],
  json: '{"account":{"username","email","language","storageUsed","emails"}}, as in the result of account.get',
  offline: true,
  async run({ out, connect }, { add, remove, ...typed }) {
    // A single argument that is an address belongs to the only account, or the default one.
    const isAddressAlone = typed.address === undefined && typed.username?.includes('@') === true
    const { username: given, address } = isAddressAlone ? { username: undefined, address: typed.username } : typed
    if (address === undefined && add.length === 0 && remove.length === 0) {
      throw usageError('Nothing to set: give an address, --add or --remove', 'See: coffer users set-email --help')
    }
    const client = await connect()
    const { user: username } = await accountOf(client, given)
    const params = { username, add, remove, ...(address === undefined ? {} : { primary: address }) }
    const answer = await client.call('users.setEmail', params, {})
    const { account } = answer
    await out.result(answer, {
      id: account.email ?? '',
      print: () => {
        out.done(`Addresses of ${account.username}:`)
        for (const entry of account.emails) out.note(`  ${emailLine(entry)}`)
      },
    })
  },
})

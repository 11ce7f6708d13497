import { command } from '../../command.js'
import { usageError } from '../../framework/exit.js'
import { listOf, recordOf, textOf } from '../../client/answer.js'
import { list, text } from '../../framework/option.js'
import { emailLine } from './emailLine.js'

/** `coffer users set-email`. */
export const setEmail = command({
  path: ['users', 'set-email'],
  summary: 'Set the e-mail addresses of an account',
  description:
    'Addresses set here count as verified, on your word; no mail is sent. The primary one is where mail to the account goes. The one that was primary stays as another address of the account, until it is removed.\n\nEverything that is asked for happens, or nothing: additions first, then the primary, then removals.',
  arguments: { username: text('The account', { required: true, names: 'user' }), address: text('The new primary address') },
  options: {
    add: list('Another address of the account', { placeholder: 'address' }),
    remove: list('An address to give up; it must not be the primary one', { placeholder: 'address' }),
  },
  examples: [
    { type: 'coffer users set-email ana-lovelace ana@example.org', says: 'a new primary address' },
    { type: 'coffer users set-email ana-lovelace ana@new.example --remove ana@old.example', says: 'in place of the old one' },
    { type: 'coffer users set-email ana-lovelace --add ana@work.example', says: 'one more' },
  ],
  json: '{"account":{"username","email","language","storageUsed","emails"}}, as account.get answers it',
  offline: true,
  async run({ out, connect }, { username, address, add, remove }) {
    if (address === undefined && add.length === 0 && remove.length === 0) {
      throw usageError('Nothing to set: give an address, --add or --remove', 'See: coffer users set-email --help')
    }
    const client = await connect()
    const params = { username, add, remove, ...(address === undefined ? {} : { primary: address }) }
    const answer = await client.call('users.setEmail', params, {})
    const account = recordOf(answer['account'])
    await out.result(answer, {
      id: textOf(account['email']),
      print: () => {
        out.done(`Addresses of ${textOf(account['username'])}:`)
        for (const entry of listOf(account['emails'])) out.note(`  ${emailLine(entry)}`)
      },
    })
  },
})

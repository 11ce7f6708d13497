import { accountByName, defaultAccountOf, writeDefaultAccount } from '../../client/defaultAccount.js'
import { accountNames } from '../../client/user.js'
import { command } from '../../command.js'
import { CommandError, usageError } from '../../framework/exit.js'
import { flag, text } from '../../framework/option.js'

/** `coffer users use`. */
export const use = command({
  path: ['users', 'use'],
  summary: 'Set the default account for commands',
  description:
    'Commands without --user then work in this account. The environment variable COFFER_USER takes precedence, for one shell or script. The default is stored for each node: in the folder of a node of this machine, in the list of nodes of this machine for a remote one (--node). It follows the account when it is renamed.\n\nCommands print the account on stderr where several exist. With a single account no default is needed.',
  arguments: { username: text('Username of the account', { names: 'user' }) },
  options: { clear: flag('Remove the default') },
  examples: [
    { type: 'coffer users use ana-lovelace', description: 'work in this account from now on' },
    { type: 'coffer users use --clear', description: 'require --user again' },
  ],
  json: '{"default"}, null without a default',
  offline: true,
  async run(context, { username, clear }) {
    const { out, env, connectToAccounts } = context
    if (clear === (username !== undefined)) {
      throw usageError(clear ? '<username> and --clear cannot be combined' : '<username> or --clear is required', 'See: coffer users use --help')
    }
    const place = defaultAccountOf(context)
    if (username === undefined) {
      await writeDefaultAccount(place, undefined)
      return out.result({ default: null }, { print: () => out.done('Commands have no default account now') })
    }
    const account = accountByName(await accountNames(await connectToAccounts()), username)
    if (account === undefined) {
      throw new CommandError(`There is no account ${JSON.stringify(username)}.`, { exit: 5, unknown: { kind: 'user', word: username } })
    }
    await writeDefaultAccount(place, account)
    await out.result({ default: account.username }, { id: account.username, print: () => out.done(`Commands now work in the account ${account.username}`) })
    const variable = env['COFFER_USER'] ?? ''
    if (variable !== '' && variable !== account.username) out.warn(`COFFER_USER takes precedence: ${variable}`)
  },
})

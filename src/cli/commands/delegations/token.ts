import { command } from '../../command.js'
import { accountOf, userOption } from '../../client/user.js'
import { text } from '../../framework/option.js'

/** `coffer delegations token`. */
export const token = command({
  path: ['delegations', 'token'],
  summary: 'Get the token to act for a managed account',
  description:
    'Prints only the API endpoint of the managed account, which contains the token of this delegate; with -q only the token. Anyone who has it can do everything there except end the delegation. The token stays the same as long as its session is valid.',
  arguments: { account: text('Managed account', { required: true, names: 'managed' }) },
  options: { user: userOption },
  examples: [
    { type: 'coffer delegations token ana-lovelace --user ben-babbage', description: 'print the API endpoint' },
    { type: 'coffer delegations token ana-lovelace --user ben-babbage -q', description: 'print only the token' },
  ],
  json: '{"token","apiEndpoint"}, the result of delegations.getToken',
  offline: true,
  async run({ out, connect, commandFor }, { account, user: username }) {
    const client = await connect()
    const { user } = await accountOf(client, username)
    const answer = await client.call('delegations.getToken', { username: account }, { user })
    await out.result(answer, {
      id: answer.token,
      print: async () => {
        out.done(`${user} acts for ${account}. The line below contains the token:`)
        await out.line(answer.apiEndpoint)
        out.note(`  End the delegation: ${commandFor('delegations', 'detach', user, '--user', account)}`)
      },
    })
  },
})

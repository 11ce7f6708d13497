import { command } from '../../command.js'
import { textOf } from '../../client/answer.js'
import { accountOf, userOption } from '../../client/user.js'
import { text } from '../../framework/option.js'

/** `coffer delegations token`. */
export const token = command({
  path: ['delegations', 'token'],
  summary: 'Get the key to act for a managed account with',
  description:
    'Prints the API endpoint of the managed account with the token of this delegate in it, and nothing else on stdout; with -q the token alone. Whoever has it can do everything there but end the delegation. It is the same while its session lives.',
  arguments: { account: text('The managed account', { required: true, names: 'managed' }) },
  options: { user: userOption },
  examples: [
    { type: 'coffer delegations token ana-lovelace --user ben-babbage', says: 'the API endpoint' },
    { type: 'coffer delegations token ana-lovelace --user ben-babbage -q', says: 'the token alone' },
  ],
  json: '{"token","apiEndpoint"}, the result of delegations.getToken',
  offline: true,
  async run({ out, connect, commandFor }, { account, user: given }) {
    const client = await connect()
    const { user } = await accountOf(client, given)
    const answer = await client.call('delegations.getToken', { username: account }, { user })
    await out.result(answer, {
      id: textOf(answer['token']),
      print: async () => {
        out.done(`${user} acts for ${account}. The line below is the key:`)
        await out.line(textOf(answer['apiEndpoint']))
        out.note(`  End it: ${commandFor('delegations', 'detach', user, '--user', account)}`)
      },
    })
  },
})

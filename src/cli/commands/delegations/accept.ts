import { command } from '../../command.js'
import { accountOf, userOption } from '../../client/user.js'
import { text } from '../../framework/option.js'

/** `coffer delegations accept`. */
export const accept = command({
  path: ['delegations', 'accept'],
  summary: 'Accept to act for an account that asks for it',
  arguments: { account: text('The account that asks', { required: true, names: 'managed' }) },
  options: { user: userOption },
  examples: [{ type: 'coffer delegations accept ana-lovelace --user ben-babbage', says: 'ben acts for ana from now on' }],
  json: '{"delegation":{"relId","controlled","status","activatedAt"}}, the result of delegations.acceptAttach',
  offline: true,
  async run({ out, connect, commandFor }, { account, user: given }) {
    const client = await connect()
    const { user } = await accountOf(client, given)
    const answer = await client.call('delegations.acceptAttach', { username: account }, { user })
    await out.result(answer, {
      id: account,
      print: () => {
        out.done(`${user} may act for ${account}`)
        out.note(`  Get the key: ${commandFor('delegations', 'token', account, '--user', user)}`)
      },
    })
  },
})

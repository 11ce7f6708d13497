import { command } from '../../command.js'
import { accountOf, userOption } from '../../client/user.js'
import { text } from '../../framework/option.js'

/** `coffer delegations accept`. */
export const accept = command({
  path: ['delegations', 'accept'],
  summary: 'Accept an invitation to act for an account',
  arguments: { account: text('Account that sent the invitation', { required: true, names: 'managed' }) },
  options: { user: userOption },
  examples: [{ type: 'coffer delegations accept ana-lovelace --user ben-babbage', description: 'ben can now act for ana' }],
  json: '{"delegation":{"relId","controlled","status","activatedAt"}}, the result of delegations.acceptAttach',
  offline: true,
  async run({ out, connect, commandFor }, { account, user: username }) {
    const client = await connect()
    const { user } = await accountOf(client, username)
    const answer = await client.call('delegations.acceptAttach', { username: account }, { user })
    await out.result(answer, {
      id: account,
      print: () => {
        out.done(`${user} can now act for ${account}`)
        out.note(`  Get a token: ${commandFor('delegations', 'token', account, '--user', user)}`)
      },
    })
  },
})

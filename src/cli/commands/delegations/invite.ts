import { command } from '../../command.js'
import { accountOf, userOption } from '../../client/user.js'
import { text } from '../../framework/option.js'
import { when } from '../../terminal/output/format.js'

/** `coffer delegations invite`. */
export const invite = command({
  path: ['delegations', 'invite'],
  summary: 'Invite another account to act for this one',
  description:
    'After accepting, the other account can do everything in this one except end the delegation. The invitation is valid for 30 days.',
  arguments: { delegate: text('Account that should act for this one', { required: true }) },
  options: { user: userOption },
  examples: [{ type: 'coffer delegations invite ben-babbage --user ana-lovelace', description: 'invite ben to act for ana' }],
  json: '{"delegation":{"relId","delegate","status","requestedAt","expiresAt"}}, the result of delegations.requestAttach',
  offline: true,
  async run({ out, connect, commandFor }, { delegate, user: username }) {
    const client = await connect()
    const { user } = await accountOf(client, username)
    const answer = await client.call('delegations.requestAttach', { delegateUsername: delegate }, { user })
    const until = answer.delegation.expiresAt
    await out.result(answer, {
      id: delegate,
      print: () => {
        out.done(`${delegate} is invited to act for ${user}${until === undefined ? '' : `, until ${when(until)}`}`)
        out.note(`  Accept as ${delegate}: ${commandFor('delegations', 'accept', user, '--user', delegate)}`)
        out.note(`  Cancel it: ${commandFor('delegations', 'cancel', delegate, '--user', user)}`)
      },
    })
  },
})

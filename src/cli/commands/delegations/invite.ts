import { command } from '../../command.js'
import { numberOf, recordOf } from '../../client/answer.js'
import { accountOf, userOption } from '../../client/user.js'
import { text } from '../../framework/option.js'
import { when } from '../../terminal/output/format.js'

/** `coffer delegations invite`. */
export const invite = command({
  path: ['delegations', 'invite'],
  summary: 'Ask another account to act for this one',
  description:
    'The other account, once it has accepted, may do everything in this one but end the delegation. The invitation is good for 30 days.',
  arguments: { delegate: text('The account that is to act for this one', { required: true }) },
  options: { user: userOption },
  examples: [{ type: 'coffer delegations invite ben-babbage --user ana-lovelace', says: 'ben is to act for ana' }],
  json: '{"delegation":{"relId","delegate","status","requestedAt","expiresAt"}}, the result of delegations.requestAttach',
  offline: true,
  async run({ out, connect, commandFor }, { delegate, user: given }) {
    const client = await connect()
    const { user } = await accountOf(client, given)
    const answer = await client.call('delegations.requestAttach', { delegateUsername: delegate }, { user })
    const until = numberOf(recordOf(answer['delegation'])['expiresAt'])
    await out.result(answer, {
      id: delegate,
      print: () => {
        out.done(`${delegate} is asked to act for ${user}${until === undefined ? '' : `, until ${when(until)}`}`)
        out.note(`  Accept it for ${delegate}: ${commandFor('delegations', 'accept', user, '--user', delegate)}`)
        out.note(`  Take it back: ${commandFor('delegations', 'cancel', delegate, '--user', user)}`)
      },
    })
  },
})

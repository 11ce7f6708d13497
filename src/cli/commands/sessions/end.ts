import { DELEGATE_NAME } from '../../../store/model/delegation.js'
import { command } from '../../command.js'
import { CommandError, usageError } from '../../framework/exit.js'
import { listOf, textOf } from '../../client/answer.js'
import type { Record_ } from '../../client/answer.js'
import type { NodeClient } from '../../client/nodeClient.js'
import { accountOf, userOption } from '../../client/user.js'
import { flag, text } from '../../framework/option.js'
import { counted } from '../../terminal/output/format.js'

/** `coffer sessions end`. */
export const end = command({
  path: ['sessions', 'end'],
  summary: 'Log somebody out, at once',
  description: 'The token of the session is refused from now on. The app has to log in again, with the password.',
  arguments: { session: text('Its id, or the app that logged in') },
  options: { all: flag('All sessions of the account'), user: userOption },
  examples: [
    { type: 'coffer sessions end my-app --user ana-lovelace', says: 'by the app' },
    { type: 'coffer sessions end --all --user ana-lovelace', says: 'all of an account' },
  ],
  json: '{"sessions":[…]}, those that were ended, as in coffer sessions list',
  offline: true,
  async run({ out, connect, commandFor }, { session, all, user }) {
    if ((session !== undefined) === all) {
      throw usageError(all ? 'A session and --all exclude each other' : 'A session is missing, or --all')
    }
    const client = await connect()
    const params =
      session === undefined
        ? { username: (await accountOf(client, user)).user }
        : await meant(client, session, user, commandFor('sessions', 'list'))
    const answer = await client.call('sessions.end', params, {})
    const ended = listOf(answer['sessions'])
    await out.result(answer, {
      id: ended.map(({ id }) => textOf(id)).join('\n'),
      print: () => {
        out.done(`${counted(ended.length, 'session')} of ${params.username} ended`)
        const delegate = ended.find(({ app }) => textOf(app).startsWith(DELEGATE_NAME))
        if (delegate !== undefined) out.note('A delegate can ask for another; to end that too: coffer delegations detach')
      },
    })
  },
})

/** The one session that an id or an app means, of whatever account when none is named. */
async function meant(
  client: NodeClient,
  named: string,
  user: string | undefined,
  listing: string,
): Promise<{ username: string; ids: string[] }> {
  const answer = await client.call('sessions.list', user === undefined ? {} : { username: user }, {})
  const found = listOf(answer['sessions']).filter(({ id, app }) => id === named || app === named)
  const [only] = found
  if (only === undefined) {
    throw new CommandError(`There is no session ${JSON.stringify(named)}.`, { exit: 5, hint: `See them: ${listing}` })
  }
  const name = (session: Record_): string => textOf(session['username'])
  if (found.length > 1) {
    const users = found.map(name).join(', ')
    throw usageError(`Several accounts have a session of ${named}, and --user <username> is missing`, `Choose one: ${users}`)
  }
  return { username: name(only), ids: [textOf(only['id'])] }
}

import { DELEGATE_NAME } from '../../../store/model/delegation.js'
import { command } from '../../command.js'
import { CommandError, usageError } from '../../framework/exit.js'
import type { NodeClient, ResultOf } from '../../client/nodeClient.js'
import { accountOf, userOption } from '../../client/user.js'
import { flag, text } from '../../framework/option.js'
import { counted } from '../../terminal/output/format.js'

type Session = ResultOf<'sessions.list'>['sessions'][number]

/** `coffer sessions end`. */
export const end = command({
  path: ['sessions', 'end'],
  summary: 'End login sessions of an account',
  description: 'The token of the session is rejected from now on. The app has to log in again with the password.',
  arguments: { session: text('Id of the session, or the app that logged in', { names: 'session' }) },
  options: { all: flag('End all sessions of the account'), user: userOption },
  examples: [
    { type: 'coffer sessions end my-app --user ana-lovelace', description: 'end the session of an app' },
    { type: 'coffer sessions end --all --user ana-lovelace', description: 'end all sessions of an account' },
  ],
  json: '{"sessions":[…]}, the sessions that were ended, as in coffer sessions list',
  offline: true,
  async run({ out, connect, commandFor }, { session, all, user }) {
    if ((session !== undefined) === all) {
      throw usageError(all ? '[session] and --all cannot be combined' : '[session] or --all is required', 'For example: coffer sessions end my-app\nList the sessions: coffer sessions list')
    }
    const client = await connect()
    const params =
      session === undefined
        ? { username: (await accountOf(client, user)).user }
        : await findSession(client, session, user, commandFor('sessions', 'list'))
    const answer = await client.call('sessions.end', params, {})
    const ended = answer.sessions
    await out.result(answer, {
      id: ended.map(({ id }) => id).join('\n'),
      print: () => {
        out.done(`${counted(ended.length, 'session')} of ${params.username} ended`)
        const delegate = ended.find(({ app }) => app.startsWith(DELEGATE_NAME))
        if (delegate !== undefined) out.note('A delegate can get a new session. To prevent this: coffer delegations detach')
      },
    })
  },
})

/** Finds the one session with this id or app, in any account if none is given. */
async function findSession(
  client: NodeClient,
  named: string,
  user: string | undefined,
  listing: string,
): Promise<{ username: string; ids: string[] }> {
  const answer = await client.call('sessions.list', user === undefined ? {} : { username: user }, {})
  const found = answer.sessions.filter(({ id, app }) => id === named || app === named)
  const [only] = found
  if (only === undefined) {
    throw new CommandError(`There is no session ${JSON.stringify(named)}.`, { exit: 5, hint: `List sessions: ${listing}`, unknown: { kind: 'session', word: named } })
  }
  const name = (session: Session): string => session.username
  if (found.length > 1) {
    const users = found.map(name).join(', ')
    throw usageError(`Several accounts have a session of ${named}; --user <username> is required`, `Choose one of: ${users}`)
  }
  return { username: name(only), ids: [only.id] }
}

import { command } from '../../command.js'
import { usageError } from '../../framework/exit.js'
import { confirm, yesOption } from '../../terminal/input/confirm.js'
import { text } from '../../framework/option.js'
import { counted } from '../../terminal/output/format.js'

const ofClient = text('Only tokens of this client', { placeholder: 'id', names: 'client' })
const ofUser = text('Only tokens for this account', { placeholder: 'username', names: 'user' })

/** `coffer oauth tokens list`. */
export const list = command({
  path: ['oauth', 'tokens', 'list'],
  summary: 'List the access tokens of OAuth clients',
  options: { client: ofClient, user: ofUser },
  examples: [
    { type: 'coffer oauth tokens list', description: 'all valid tokens' },
    { type: 'coffer oauth tokens list --client heart-lab --user ana-lovelace', description: 'tokens of one client for one account' },
  ],
  json: '{"tokens":[{"id","username","clientId","created","expires","lastUsed","jkt"}]}; jkt is the key that the token is bound to',
  offline: true,
  async run({ out, connect }, { client, user }) {
    const handler = await connect()
    const answer = await handler.call('oauth.tokens.list', { clientId: client, username: user }, {})
    const { tokens } = answer
    await out.list(answer, {
      columns: [
        { title: 'ACCESS', cell: ({ id }) => id },
        { title: 'CLIENT', cell: ({ clientId }) => clientId },
        { title: 'ACCOUNT', cell: ({ username }) => username, shrinks: true },
        { title: 'LAST USED', time: ({ lastUsed }) => lastUsed, drops: true },
        { title: 'EXPIRES', time: ({ expires }) => expires, drops: 'late' },
        { title: 'BOUND', cell: ({ jkt }) => (jkt === null ? 'no' : 'to a key'), drops: true },
      ],
      rows: tokens,
      id: ({ id }) => id,
      count: counted(tokens.length, 'token'),
    })
  },
})

/** `coffer oauth tokens revoke`. */
export const revoke = command({
  path: ['oauth', 'tokens', 'revoke'],
  summary: 'Revoke the access and refresh tokens of an OAuth client',
  description: 'Revokes tokens for one account, or for all. The client stays registered and the consents of its users stay; users have to log in again.',
  options: { client: text('Client id', { placeholder: 'id', names: 'client' }), user: ofUser, yes: yesOption() },
  examples: [
    { type: 'coffer oauth tokens revoke --client heart-lab --user ana-lovelace', description: 'for one account' },
    { type: 'coffer oauth tokens revoke --client heart-lab --yes', description: 'for all accounts, in a script' },
  ],
  json: '{"tokens":[…],"refreshTokens"}, the revoked access tokens and the number of refresh tokens',
  offline: true,
  async run({ out, connect, terminal }, { client, user, yes }) {
    if (client === undefined) throw usageError('--client <id> is missing', 'For example: coffer oauth tokens revoke --client heart-lab\nList the clients: coffer oauth clients list')
    const handler = await connect()
    // Unknown names are reported before the prompt.
    await handler.call('oauth.clients.show', { clientId: client }, {})
    if (user !== undefined) await handler.call('users.show', { username: user }, {})
    const where = user === undefined ? 'for all accounts' : `for ${user}`
    await confirm(terminal, `Revoke all tokens of ${client} ${where}?`, yes)
    const answer = await handler.call('oauth.tokens.revoke', { clientId: client, username: user }, {})
    const { tokens: revokedTokens } = answer
    await out.result(answer, {
      id: revokedTokens.map(({ id }) => id).join('\n'),
      print: () => {
        const refreshTokens = counted(answer.refreshTokens, 'refresh token')
        out.done(`${counted(revokedTokens.length, 'access token')} and ${refreshTokens} of ${client} revoked ${where}`)
      },
    })
  },
})

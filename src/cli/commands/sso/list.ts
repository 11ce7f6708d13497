import { command } from '../../command.js'
import { listOf, numberOf, textOf } from '../../client/answer.js'
import { text } from '../../framework/option.js'
import { counted, when } from '../../terminal/output/format.js'

/** `coffer sso list`. */
export const list = command({
  path: ['sso', 'list'],
  summary: 'List who is linked to whom at third parties',
  description:
    'Somebody who signs in at a third party for the first time is linked to the account that has proved the same e-mail address, and stays so whatever becomes of the address. An address that nobody has proved links nobody: coffer users set-email vouches for it. With --json, subject is who they are there.',
  options: { user: text('Only this account', { placeholder: 'username', names: 'user' }) },
  examples: [
    { type: 'coffer sso list', says: 'a table' },
    { type: 'coffer sso list --user ana-lovelace', says: 'of one account' },
  ],
  json: '{"identities":[{"username","provider","subject","email","since"}]}, since in seconds',
  offline: true,
  async run({ out, connect, terminal }, { user }) {
    const client = await connect()
    const answer = await client.call('sso.list', user === undefined ? {} : { username: user }, {})
    const identities = listOf(answer['identities'])
    const since = (seconds: number): string => (terminal.outIsTerminal ? when(seconds) : String(seconds))
    await out.list(answer, {
      columns: [
        { title: 'USERNAME', cell: ({ username }) => textOf(username) },
        { title: 'PROVIDER', cell: ({ provider }) => textOf(provider) },
        { title: 'ADDRESS THERE', cell: ({ email }) => textOf(email), shrinks: true },
        { title: 'SINCE', cell: (identity) => since(numberOf(identity['since']) ?? 0), drops: true },
      ],
      rows: identities,
      id: ({ username }) => textOf(username),
      count: counted(identities.length, 'link'),
    })
  },
})

import { command } from '../../command.js'
import { text } from '../../framework/option.js'
import { counted } from '../../terminal/output/format.js'

/** `coffer sso list`. */
export const list = command({
  path: ['sso', 'list'],
  summary: 'List accounts linked to identity providers',
  description:
    'The first time someone logs in through an identity provider, the identity is linked to the account with the same verified e-mail address. The link stays even if the address changes. An unverified address is never linked: coffer users set-email marks it as verified. With --json, subject is the id of the user at the provider.',
  options: { user: text('Only this account', { placeholder: 'username', names: 'user' }) },
  examples: [
    { type: 'coffer sso list', description: 'list as a table' },
    { type: 'coffer sso list --user ana-lovelace', description: 'links of one account' },
  ],
  json: '{"identities":[{"username","provider","subject","email","since"}]}, since in seconds',
  offline: true,
  async run({ out, connect }, { user }) {
    const client = await connect()
    const answer = await client.call('sso.list', user === undefined ? {} : { username: user }, {})
    const { identities } = answer
    await out.list(answer, {
      columns: [
        { title: 'USERNAME', cell: ({ username }) => username },
        { title: 'PROVIDER', cell: ({ provider }) => provider },
        { title: 'E-MAIL THERE', cell: ({ email }) => email, shrinks: true },
        { title: 'SINCE', time: ({ since }) => since, drops: true },
      ],
      rows: identities,
      id: ({ username }) => username,
      count: counted(identities.length, 'link'),
    })
  },
})

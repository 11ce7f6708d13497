import { command } from '../../command.js'
import { loadConsents } from './shared/load.js'
import { accountOf, userOption } from '../../client/user.js'
import { counted } from '../../terminal/output/format.js'

/** `coffer consents links list`. */
export const list = command({
  path: ['consents', 'links', 'list'],
  summary: 'List the consent links of an account',
  description: 'The links themselves are not shown, because they contain tokens.',
  options: { user: userOption },
  examples: [{ type: 'coffer consents links list --user ana-lovelace', description: 'list as a table' }],
  json: '{"links":[…]}, entries of the kind "invite" as in coffer consents list',
  offline: true,
  async run({ out, connect, now }, { user }) {
    const client = await connect()
    const { all } = await loadConsents(client, await accountOf(client, user), now())
    const rows = all.filter(({ consent }) => consent.capabilityId !== undefined)
    await out.list(
      { links: rows.map(({ consent }) => consent) },
      {
        columns: [
          { title: 'TITLE', cell: ({ consent }) => consent.title, shrinks: true },
          { title: 'FOR', cell: ({ consent }) => (consent.mode === 'open-link' ? 'anyone' : 'one account'), drops: true },
          { title: 'STATUS', cell: ({ consent }) => consent.status, drops: 'late' },
          { title: 'JOINED', cell: ({ consent }) => String(consent.joined ?? 0), align: 'right', drops: true },
          { title: 'EXPIRES', time: ({ consent }) => consent.expires, drops: 'late' },
          { title: 'ID', cell: ({ consent }) => consent.id },
        ],
        rows,
        id: ({ consent }) => consent.id,
        count: counted(rows.length, 'link'),
      },
    )
  },
})

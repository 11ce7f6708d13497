import { command } from '../../command.js'
import { loadConsents } from './shared/load.js'
import { accountText } from '../../../server/api/consents/relations.js'
import type { ConsentRecord } from '../../../server/api/consents/relations.js'
import { accountOf, userOption } from '../../client/user.js'
import { choice } from '../../framework/option.js'
import { counted } from '../../terminal/output/format.js'

/** `coffer consents list`. */
export const list = command({
  path: ['consents', 'list'],
  summary: 'List consents of an account: requested, given and received',
  description:
    '"invite" is a request of this account, made by a link. "given" is a request that this account accepted; "received" is one that another account accepted. Ended consents stay in the list.',
  options: { kind: choice(['invite', 'given', 'received'], 'Only consents of this kind'), user: userOption },
  examples: [
    { type: 'coffer consents list --user ana-lovelace', description: 'list as a table' },
    { type: 'coffer consents list --kind given -q', description: 'print the ids of consents this account gave' },
  ],
  json: '{"consents":[{"kind","id","status","title","time","counterparty":{"username","host","unverified"},"scopeStreamId","accessId","capabilityId","mode","expires","joined"}]}, times in seconds; links and tokens are omitted',
  offline: true,
  async run({ out, connect, now }, { kind, user }) {
    const client = await connect()
    const { all } = await loadConsents(client, await accountOf(client, user), now())
    const rows = all.filter(({ consent }) => kind === undefined || consent.kind === kind)
    await out.list(
      { consents: rows.map(({ consent }) => consent) },
      {
        columns: [
          { title: 'KIND', cell: ({ consent }) => consent.kind },
          { title: 'WITH', cell: withText, shrinks: true },
          { title: 'TITLE', cell: ({ consent }) => consent.title, shrinks: true },
          { title: 'STATUS', cell: ({ consent }) => consent.status, drops: 'late' },
          { title: 'SINCE', time: ({ consent }) => consent.time, drops: true },
          { title: 'ID', cell: ({ consent }) => consent.id },
        ],
        rows,
        id: ({ consent }) => consent.id,
        count: counted(rows.length, 'consent'),
      },
    )
  },
})

function withText({ consent }: ConsentRecord): string {
  if (consent.mode === 'open-link') return `${consent.joined ?? 0} joined`
  return accountText(consent.counterparty) || '—'
}

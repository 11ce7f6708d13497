import { command } from '../../command.js'
import { counted } from '../../terminal/output/format.js'
import { idOf, kindOf } from './client.js'

/** `coffer oauth clients list`. */
export const list = command({
  path: ['oauth', 'clients', 'list'],
  summary: 'List the registered OAuth clients',
  examples: [
    { type: 'coffer oauth clients list', description: 'list as a table' },
    { type: 'coffer oauth clients list -q', description: 'print only the ids, one per line' },
  ],
  json: '{"clients":[{…}]}, each as in coffer oauth clients show',
  offline: true,
  async run({ out, connect, commandFor }) {
    const client = await connect()
    const answer = await client.call('oauth.clients.list', {}, {})
    const { clients } = answer
    await out.list(answer, {
      columns: [
        { title: 'ID', cell: idOf },
        { title: 'NAME', cell: ({ client_name }) => client_name, shrinks: true },
        { title: 'AUTH METHOD', cell: kindOf, drops: 'late' },
        { title: 'OFFERS', cell: ({ cmc_offers }) => Object.keys(cmc_offers).join(', ') || '—', shrinks: true, drops: 'late' },
        { title: 'ACCOUNT', cell: ({ username }) => username ?? '—', drops: true },
      ],
      rows: clients,
      id: idOf,
      count: clients.length === 0 ? '(no clients registered)' : counted(clients.length, 'client'),
    })
    if (clients.length === 0) {
      out.note(`Register a client: ${commandFor('oauth', 'clients', 'create', '--name', 'Heart Lab', '--redirect-uri', 'https://lab.example/cb')}`)
    }
  },
})

import { command } from '../../command.js'
import { amount, counted } from '../../terminal/output/format.js'

/** `coffer cores list`. */
export const list = command({
  path: ['cores', 'list'],
  summary: 'List the cores of the platform and their number of accounts',
  description:
    'A platform can serve its accounts from several nodes, called cores. This version supports platforms of one core. For nodes that replicate the same account, see coffer sync status.',
  examples: [{ type: 'coffer cores list', description: 'list as a table' }],
  json: '{"cores":[{"id","url","hosting","available","userCount"}]}',
  offline: true,
  async run({ out, connect }) {
    const client = await connect()
    const answer = await client.call('system.cores', {}, {})
    const { cores } = answer
    await out.list(answer, {
      columns: [
        { title: 'CORE', cell: ({ id }) => id },
        { title: 'ADDRESS', cell: ({ url }) => url, shrinks: true },
        { title: 'HOSTING', cell: ({ hosting }) => hosting ?? '—', drops: true },
        { title: 'AVAILABLE', cell: ({ available }) => (available ? 'yes' : 'no'), drops: true },
        { title: 'ACCOUNTS', cell: ({ userCount }) => amount(userCount), align: 'right' },
      ],
      rows: cores,
      id: ({ id }) => id,
      count: counted(cores.length, 'core'),
    })
  },
})

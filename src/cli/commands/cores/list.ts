import { command } from '../../command.js'
import { listOf, numberOf, textOf } from '../../client/answer.js'
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
    const cores = listOf(answer['cores'])
    await out.list(answer, {
      columns: [
        { title: 'CORE', cell: ({ id }) => textOf(id) },
        { title: 'ADDRESS', cell: ({ url }) => textOf(url), shrinks: true },
        { title: 'HOSTING', cell: ({ hosting }) => textOf(hosting) || '—', drops: true },
        { title: 'AVAILABLE', cell: ({ available }) => (available === true ? 'yes' : 'no'), drops: true },
        { title: 'ACCOUNTS', cell: ({ userCount }) => amount(numberOf(userCount) ?? 0), align: 'right' },
      ],
      rows: cores,
      id: ({ id }) => textOf(id),
      count: counted(cores.length, 'core'),
    })
  },
})

import { command } from '../../command.js'
import { amount, counted } from '../../terminal/output/format.js'
import { CORE_JSON, stateOf } from './shared/core.js'

/** `coffer cores list`. */
export const list = command({
  path: ['cores', 'list'],
  summary: 'List the cores of the platform and their number of accounts',
  description:
    'A platform can serve its accounts from several nodes, called cores. Each account is on one core; names are unique on all of them. A node without a platform is its only core. For nodes that replicate the same account, see coffer sync status.\n\n' +
    'Warns about settings that must be equal on all cores, but are not.',
  examples: [
    { type: 'coffer cores list', description: 'list as a table' },
    { type: 'coffer cores list -q', description: 'print the ids only' },
  ],
  json: `{"cores":[${CORE_JSON}],"differingSettings":["name"]}`,
  offline: true,
  async run({ out, connect, commandFor }) {
    const client = await connect()
    const answer = await client.call('cores.list', {}, {})
    const { cores, differingSettings } = answer
    await out.list(answer, {
      columns: [
        { title: 'CORE', cell: ({ id }) => id },
        { title: 'ADDRESS', cell: ({ url }) => url ?? '—', shrinks: true },
        { title: 'HOSTING', cell: ({ hosting }) => hosting ?? '—', drops: true },
        { title: 'STATE', cell: (core) => stateOf(core) },
        { title: 'AVAILABLE', cell: ({ available }) => (available ? 'yes' : 'no'), drops: true },
        { title: 'ACCOUNTS', cell: ({ userCount }) => amount(userCount), align: 'right' },
      ],
      rows: cores,
      id: ({ id }) => id,
      count: counted(cores.length, 'core'),
    })
    if (differingSettings.length > 0) {
      out.warn(`These settings differ between the cores: ${differingSettings.join(', ')}`)
      out.note(`  Compare on each core: ${commandFor('config', 'get', differingSettings[0] ?? '')}`)
    }
  },
})

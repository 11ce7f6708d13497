import { command } from '../../command.js'
import { accountOf, userOption } from '../../client/user.js'
import { flag } from '../../framework/option.js'
import { counted } from '../../terminal/output/format.js'
import { timeCell } from '../../terminal/output/timestamps.js'
import { accessNames, isFailing, lastRunOf, printableAddress, stateOf } from './webhook.js'

/** `coffer webhooks list`. */
export const list = command({
  path: ['webhooks', 'list'],
  summary: 'List the webhooks of an account',
  description:
    'A webhook whose calls fail is retried at growing intervals and finally becomes inactive; reactivate it with coffer webhooks activate. The query of a URL may contain secrets and is omitted from the table; --json includes it.',
  options: {
    failed: flag('Only webhooks that are inactive or whose latest call failed'),
    user: userOption,
  },
  examples: [
    { type: 'coffer webhooks list', description: 'list as a table' },
    { type: 'coffer webhooks list --failed', description: 'webhooks that need attention' },
    { type: 'coffer webhooks list -q', description: 'print only the ids, one per line' },
  ],
  json: '{"webhooks":[…]}, the result of webhooks.get',
  offline: true,
  async run({ out, connect }, { failed, user }) {
    const client = await connect()
    const as = await accountOf(client, user)
    const answer = await client.call('webhooks.get', {}, as)
    const webhooks = answer.webhooks.filter((webhook) => !failed || isFailing(webhook))
    const names = webhooks.length === 0 ? new Map<string, string>() : await accessNames(client, as)
    const failures = webhooks.filter(isFailing).length
    const count = counted(webhooks.length, 'webhook')
    await out.list(
      { ...answer, webhooks },
      {
        columns: [
          { title: 'URL', cell: ({ url }) => printableAddress(url), shrinks: true },
          { title: 'STATE', cell: stateOf, drops: 'late' },
          { title: 'ACCESS', cell: ({ accessId }) => names.get(accessId) ?? accessId, shrinks: true, drops: true },
          { title: 'LAST CALL', cell: (webhook, isTerminal) => lastRunOf(webhook, (time) => timeCell(time, isTerminal)), drops: 'late' },
          { title: 'CALLS', cell: ({ runCount }) => String(runCount), align: 'right', drops: true },
          { title: 'FAILED', cell: ({ failCount }) => String(failCount), align: 'right', drops: true },
          { title: 'ID', cell: ({ id }) => id },
        ],
        rows: webhooks,
        id: ({ id }) => id,
        count: failed || failures === 0 ? count : `${count}, ${failures} failing`,
      },
    )
  },
})

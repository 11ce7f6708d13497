import { command } from '../../command.js'
import { listOf, numberOf, textOf } from '../../client/answer.js'
import { ago, counted, span } from '../../terminal/output/format.js'

/** `coffer requests list`. */
export const list = command({
  path: ['requests', 'list'],
  summary: 'List the apps that wait for an answer',
  description: 'A request lives for one hour, in the memory of the node: a restart drops it, and its app asks again.',
  examples: [
    { type: 'coffer requests list', says: 'a table' },
    { type: 'coffer requests list -q', says: 'the keys alone, one a line' },
  ],
  json: '{"requests":[{"key","requestingAppId","deviceName","status","created","expires","requestedPermissions"}]}, times in seconds',
  offline: false,
  async run({ out, connect, now, terminal }) {
    const client = await connect()
    const answer = await client.call('requests.list', {}, {})
    const requests = listOf(answer['requests'])
    const at = now()
    await out.list(answer, {
      columns: [
        { title: 'KEY', cell: (request) => textOf(request['key']) },
        { title: 'APP', cell: (request) => textOf(request['requestingAppId']), shrinks: true },
        { title: 'ASKED', cell: (request) => ago(numberOf(request['created']), at) },
        {
          title: 'EXPIRES',
          cell: (request) => {
            const expires = numberOf(request['expires']) ?? at
            return terminal.outIsTerminal ? `in ${span(Math.max(0, expires - at))}` : String(expires)
          },
        },
        { title: 'ASKS FOR', cell: (request) => counted(listOf(request['requestedPermissions']).length, 'permission'), drops: true },
      ],
      rows: requests,
      id: (request) => textOf(request['key']),
      count: counted(requests.length, 'request'),
    })
  },
})

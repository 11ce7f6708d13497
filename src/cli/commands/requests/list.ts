import { command } from '../../command.js'
import { counted } from '../../terminal/output/format.js'

/** `coffer requests list`. */
export const list = command({
  path: ['requests', 'list'],
  summary: 'List pending requests of apps',
  description: 'A request stays valid for one hour. It is stored in the memory of the node: after a restart the app has to request access again.',
  examples: [
    { type: 'coffer requests list', description: 'list as a table' },
    { type: 'coffer requests list -q', description: 'print only the keys, one per line' },
  ],
  json: '{"requests":[{"key","requestingAppId","deviceName","status","created","expires","requestedPermissions"}]}, times in seconds',
  offline: false,
  async run({ out, connect }) {
    const client = await connect()
    const answer = await client.call('requests.list', {}, {})
    const { requests } = answer
    await out.list(answer, {
      columns: [
        { title: 'KEY', cell: (request) => request.key },
        { title: 'APP', cell: (request) => request.requestingAppId, shrinks: true },
        { title: 'CREATED', time: ({ created }) => created, drops: 'late' },
        { title: 'EXPIRES', time: ({ expires }) => expires, drops: 'late' },
        { title: 'REQUESTS', cell: (request) => counted(request.requestedPermissions.length, 'permission'), drops: true },
      ],
      rows: requests,
      id: (request) => request.key,
      count: counted(requests.length, 'request'),
    })
  },
})

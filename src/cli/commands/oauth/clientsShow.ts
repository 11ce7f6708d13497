import { command } from '../../command.js'
import { CLIENT_JSON, clientArgument, clientLines, idOf } from './client.js'

/** `coffer oauth clients show`. */
export const show = command({
  path: ['oauth', 'clients', 'show'],
  summary: 'Show one OAuth client',
  description: 'Keys are shown as thumbprints, offers without their tokens. The secret is stored as a hash and not shown.',
  arguments: { client: clientArgument },
  examples: [
    { type: 'coffer oauth clients show heart-lab', description: 'show the settings of a client' },
    { type: 'coffer oauth clients show heart-lab --json', description: 'for programs' },
  ],
  json: CLIENT_JSON,
  offline: true,
  async run({ out, connect }, { client: id }) {
    const handler = await connect()
    const answer = await handler.call('oauth.clients.show', { clientId: id }, {})
    const { client } = answer
    await out.result(answer, {
      id: idOf(client),
      print: async () => {
        await out.line(idOf(client))
        for (const line of clientLines(client, out.time)) await out.line(line)
      },
    })
  },
})

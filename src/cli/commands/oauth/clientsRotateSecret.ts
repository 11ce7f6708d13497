import { command } from '../../command.js'
import { clientArgument, handOutSecret, idOf, secretToOption } from './client.js'

/** `coffer oauth clients rotate-secret`. */
export const rotateSecret = command({
  path: ['oauth', 'clients', 'rotate-secret'],
  summary: 'Give an OAuth client a new secret',
  description: 'The former one is refused at once; tokens stay good. A public client becomes confidential by it. The secret is shown this once.',
  arguments: { client: clientArgument },
  options: { secretTo: secretToOption },
  examples: [
    { type: 'coffer oauth clients rotate-secret heart-lab', says: 'on the terminal' },
    { type: 'coffer oauth clients rotate-secret heart-lab --secret-to ./secret', says: 'into a file, for nobody else to see' },
  ],
  json: '{"client":{…},"client_secret"}, the client as in coffer oauth clients show; "secretTo" with --secret-to',
  offline: true,
  async run({ out, connect, terminal }, { client: id, secretTo }) {
    const handler = await connect()
    await handOutSecret(out, terminal, {
      secretTo,
      ask: () => handler.call('oauth.clients.rotateSecret', { clientId: id }, {}),
      print: (client) => out.done(`Client ${idOf(client)} has a new secret; the former one is refused.`),
    })
  },
})

import { command } from '../../command.js'
import { clientArgument, printSecretOnce, idOf, secretToOption } from './client.js'

/** `coffer oauth clients rotate-secret`. */
export const rotateSecret = command({
  path: ['oauth', 'clients', 'rotate-secret'],
  summary: 'Replace the secret of an OAuth client',
  description: 'The previous secret is rejected immediately; tokens stay valid. A public client becomes confidential. The new secret is shown only once.',
  arguments: { client: clientArgument },
  options: { secretTo: secretToOption },
  examples: [
    { type: 'coffer oauth clients rotate-secret heart-lab', description: 'print the new secret' },
    { type: 'coffer oauth clients rotate-secret heart-lab --secret-to ./secret', description: 'write it to a private file' },
  ],
  json: '{"client":{…},"client_secret"}, the client as in coffer oauth clients show; "secretTo" with --secret-to',
  offline: true,
  async run({ out, connect, terminal }, { client: id, secretTo }) {
    const handler = await connect()
    await printSecretOnce(out, terminal, {
      secretTo,
      ask: () => handler.call('oauth.clients.rotateSecret', { clientId: id }, {}),
      print: (client) => out.done(`Client ${idOf(client)} has a new secret; the previous one is rejected.`),
    })
  },
})

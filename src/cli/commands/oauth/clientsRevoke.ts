import { command } from '../../command.js'
import { confirm, yesOption } from '../../terminal/input/confirm.js'
import { clientArgument } from './client.js'

/** `coffer oauth clients revoke`. */
export const revoke = command({
  path: ['oauth', 'clients', 'revoke'],
  summary: 'Remove an OAuth client and revoke its tokens',
  description:
    'Its tokens are rejected immediately on this node and its websockets are closed, permanently: registering it again does not restore them. The consents of its users stay.',
  arguments: { client: clientArgument },
  options: { yes: yesOption() },
  examples: [
    { type: 'coffer oauth clients revoke heart-lab', description: 'ask for confirmation' },
    { type: 'coffer oauth clients revoke heart-lab --yes', description: 'for scripts' },
  ],
  json: '{"clientDeletion":{"client_id"}}',
  offline: true,
  async run({ out, connect, terminal }, { client: id, yes }) {
    const handler = await connect()
    await handler.call('oauth.clients.show', { clientId: id }, {})
    await confirm(terminal, `Revoke the client ${id}, with all tokens that it holds?`, yes)
    const answer = await handler.call('oauth.clients.revoke', { clientId: id }, {})
    await out.result(answer, { id, print: () => out.done(`Client ${id} revoked; its tokens are rejected.`) })
  },
})

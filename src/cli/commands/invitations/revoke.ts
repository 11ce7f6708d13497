import { command } from '../../command.js'
import { text } from '../../framework/option.js'

/** `coffer invitations revoke`. */
export const revoke = command({
  path: ['invitations', 'revoke'],
  summary: 'Revoke an unused invitation',
  arguments: { invitation: text('Id of the invitation, or the start of it', { required: true, names: 'invitation' }) },
  examples: [{ type: 'coffer invitations revoke 3f1c09aa2b41', description: 'by the id that coffer invitations list shows' }],
  json: '{"invitation":{…}}, as in coffer invitations list',
  offline: true,
  async run({ out, connect }, { invitation }) {
    const client = await connect()
    const answer = await client.call('invitations.revoke', { invitation }, {})
    const { id } = answer.invitation
    await out.result(answer, { id, print: () => out.done(`Invitation ${id.slice(0, 12)} revoked.`) })
  },
})

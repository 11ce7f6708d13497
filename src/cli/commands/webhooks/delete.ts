import { command } from '../../command.js'
import { confirm, yesOption } from '../../terminal/input/confirm.js'
import { accountHolding } from '../../client/holder.js'
import { userOption } from '../../client/user.js'
import { text } from '../../framework/option.js'
import { printableAddress, webhookNamed } from './webhook.js'

/** `coffer webhooks delete`. */
export const remove = command({
  path: ['webhooks', 'delete'],
  summary: 'Delete a webhook',
  description: 'Pending messages are dropped, and the history of its calls is deleted.',
  arguments: { webhook: text('Id or URL of the webhook', { required: true, names: 'webhook' }) },
  options: { yes: yesOption(), user: userOption },
  examples: [
    { type: 'coffer webhooks delete ckq2v8x0a0000abcd1234efgh', description: 'ask for confirmation' },
    { type: 'coffer webhooks delete https://lab.example.org/changes --yes', description: 'for scripts' },
  ],
  json: '{"webhookDeletion":{"id","deleted"}}, the result of webhooks.delete',
  offline: true,
  async run({ out, connect, terminal }, { webhook: word, yes, user }) {
    const client = await connect()
    const as = await accountHolding(client, user, { kind: 'webhook', id: word })
    const { id, url } = await webhookNamed(client, as, word)
    await confirm(terminal, `Delete the webhook to ${printableAddress(url)}?`, yes)
    const answer = await client.call('webhooks.delete', { id }, as)
    await out.result(answer, { id, print: () => out.done(`Webhook ${id} deleted`) })
  },
})

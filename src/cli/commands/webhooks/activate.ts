import { command } from '../../command.js'
import { accountHolding } from '../../client/holder.js'
import { userOption } from '../../client/user.js'
import { text } from '../../framework/option.js'
import { printableAddress, webhookNamed } from './webhook.js'

/** `coffer webhooks activate`. */
export const activate = command({
  path: ['webhooks', 'activate'],
  summary: 'Reactivate an inactive webhook',
  description: 'Resets the failure count. Messages that were pending when it stopped are sent now; changes made in the meantime are not reported, so the receiver should fetch what it missed.',
  arguments: { webhook: text('Id or URL of the webhook', { required: true, names: 'webhook' }) },
  options: { user: userOption },
  examples: [{ type: 'coffer webhooks activate ckq2v8x0a0000abcd1234efgh', description: 'after its URL works again' }],
  json: '{"webhook":{…}}, the result of webhooks.update',
  offline: true,
  async run({ out, connect, commandFor }, { webhook: word, user }) {
    const client = await connect()
    const as = await accountHolding(client, user, { kind: 'webhook', id: word })
    const { id } = await webhookNamed(client, as, word)
    const answer = await client.call('webhooks.update', { id, update: { state: 'active' } }, as)
    await out.result(answer, {
      id,
      print: () => {
        out.done(`${printableAddress(answer.webhook.url)} is active again.`)
        out.note(`  Test it: ${commandFor('webhooks', 'test', id)}`)
      },
    })
  },
})

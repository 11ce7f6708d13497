import { command } from '../../command.js'
import { accountHolding } from '../../client/holder.js'
import { userOption } from '../../client/user.js'
import { text } from '../../framework/option.js'
import { printableAddress, webhookNamed } from './webhook.js'

/** `coffer webhooks test`. */
export const test = command({
  path: ['webhooks', 'test'],
  summary: 'Send a test call to a webhook',
  description:
    'Sends one POST with the messages ["test"], even if the webhook is inactive. The call is not counted. Exits with 5 if there is no answer, or one without a success status.',
  arguments: { webhook: text('Id or URL of the webhook', { required: true, names: 'webhook' }) },
  options: { user: userOption },
  examples: [{ type: 'coffer webhooks test ckq2v8x0a0000abcd1234efgh', description: 'check that its URL answers' }],
  json: '{"webhook":{…}}, the result of webhooks.test',
  offline: true,
  async run({ out, connect, commandFor }, { webhook: word, user }) {
    const client = await connect()
    const as = await accountHolding(client, user, { kind: 'webhook', id: word })
    const { id, url, state } = await webhookNamed(client, as, word)
    const answer = await client.call('webhooks.test', { id }, as)
    await out.result(answer, {
      id,
      print: () => {
        out.done(`${printableAddress(url)} accepted the messages ["test"].`)
        if (state !== 'active') out.note(`  The webhook is inactive. Reactivate it: ${commandFor('webhooks', 'activate', id)}`)
      },
    })
  },
})

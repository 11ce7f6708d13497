import { command } from '../../command.js'
import { textOf } from '../../client/answer.js'
import { accountOf, userOption } from '../../client/user.js'
import { text } from '../../framework/option.js'
import { shownAddress, webhookNamed } from './webhook.js'

/** `coffer webhooks test`. */
export const test = command({
  path: ['webhooks', 'test'],
  summary: 'Call a webhook once, to see whether its address answers',
  description:
    'Sends one POST with the messages ["test"], also to an inactive webhook. It does not count among its calls. Exits with 5 when there is no answer, or one that is no success.',
  arguments: { webhook: text('Its id or address', { required: true, names: 'webhook' }) },
  options: { user: userOption },
  examples: [{ type: 'coffer webhooks test ckq2v8x0a0000abcd1234efgh', says: 'does its address answer?' }],
  json: '{"webhook":{…}}, the result of webhooks.test',
  offline: true,
  async run({ out, connect, commandFor }, { webhook: word, user }) {
    const client = await connect()
    const as = await accountOf(client, user)
    const webhook = await webhookNamed(client, as, word)
    const id = textOf(webhook['id'])
    const answer = await client.call('webhooks.test', { id }, as)
    await out.result(answer, {
      id,
      print: () => {
        out.done(`${shownAddress(webhook['url'])} took the messages ["test"].`)
        if (webhook['state'] !== 'active') out.note(`  It is inactive; start it again: ${commandFor('webhooks', 'activate', id)}`)
      },
    })
  },
})

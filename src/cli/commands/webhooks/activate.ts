import { command } from '../../command.js'
import { recordOf, textOf } from '../../client/answer.js'
import { accountOf, userOption } from '../../client/user.js'
import { text } from '../../framework/option.js'
import { shownAddress, webhookNamed } from './webhook.js'

/** `coffer webhooks activate`. */
export const activate = command({
  path: ['webhooks', 'activate'],
  summary: 'Start a webhook again that has become inactive',
  description: 'Its failures are forgotten. What it was about to tell when it stopped is told now; what changed meanwhile is not, so its address should fetch what it missed.',
  arguments: { webhook: text('Its id or address', { required: true, names: 'webhook' }) },
  options: { user: userOption },
  examples: [{ type: 'coffer webhooks activate ckq2v8x0a0000abcd1234efgh', says: 'once its address answers again' }],
  json: '{"webhook":{…}}, the result of webhooks.update',
  offline: true,
  async run({ out, connect, commandFor }, { webhook: word, user }) {
    const client = await connect()
    const as = await accountOf(client, user)
    const id = textOf((await webhookNamed(client, as, word))['id'])
    const answer = await client.call('webhooks.update', { id, update: { state: 'active' } }, as)
    await out.result(answer, {
      id,
      print: () => {
        out.done(`${shownAddress(recordOf(answer['webhook'])['url'])} is called again.`)
        out.note(`  Try it: ${commandFor('webhooks', 'test', id)}`)
      },
    })
  },
})

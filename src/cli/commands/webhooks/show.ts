import { command } from '../../command.js'
import { accountHolding } from '../../client/holder.js'
import { userOption } from '../../client/user.js'
import { flag, text } from '../../framework/option.js'
import { accessNames, statusWords, webhookLines, webhookNamed } from './webhook.js'

/** `coffer webhooks show`. */
export const show = command({
  path: ['webhooks', 'show'],
  summary: 'Show one webhook, with its latest calls',
  arguments: { webhook: text('Id or URL of the webhook', { required: true, names: 'webhook' }) },
  options: { reveal: flag('Show the full URL, including possible secrets'), user: userOption },
  examples: [
    { type: 'coffer webhooks show ckq2v8x0a0000abcd1234efgh', description: 'state, scopes and latest calls' },
    { type: 'coffer webhooks show https://lab.example.org/changes --json', description: 'by its URL, for programs' },
  ],
  json: '{"webhook":{…}}, the result of webhooks.getOne',
  offline: true,
  async run({ out, connect, commandFor }, { webhook: word, reveal, user }) {
    const client = await connect()
    const as = await accountHolding(client, user, { kind: 'webhook', id: word })
    const { id } = await webhookNamed(client, as, word)
    const answer = await client.call('webhooks.getOne', { id }, as)
    const { webhook } = answer
    await out.result(answer, {
      id,
      print: async () => {
        const name = (await accessNames(client, as)).get(webhook.accessId) ?? ''
        for (const line of webhookLines(webhook, name, reveal, out.time)) await out.line(line)
        const { runs } = webhook
        if (runs.length > 0) await out.line('  Latest calls')
        for (const { status, timestamp } of runs) {
          await out.line(`    ${out.time(timestamp)}  ${statusWords(status)}`)
        }
        if (webhook.state !== 'active') out.note(`  Reactivate it: ${commandFor('webhooks', 'activate', id)}`)
      },
    })
  },
})

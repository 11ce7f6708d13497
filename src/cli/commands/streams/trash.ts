import { command } from '../../command.js'
import { recordOf, textOf } from '../../client/answer.js'
import { actingAs, authorityOf } from '../../client/access.js'
import { text } from '../../framework/option.js'

/** `coffer streams trash`. */
export const trash = command({
  path: ['streams', 'trash'],
  summary: 'Put a stream in the trash',
  description: 'The stream and all below it are hidden, and nothing is lost. coffer streams update --restore takes it out.',
  arguments: { id: text('The stream', { required: true, names: 'stream' }) },
  options: { ...actingAs },
  examples: [{ type: 'coffer streams trash heart', says: 'hide heart and all below it' }],
  json: '{"stream":{…}}',
  offline: true,
  async run({ out, connect }, { id, user, access }) {
    const client = await connect()
    // As an update, this stays harmless for a stream that is in the trash already.
    const answer = await client.call('streams.update', { id, update: { trashed: true } }, await authorityOf(client, { user, access }))
    const name = textOf(recordOf(answer['stream'])['name'])
    await out.result(answer, { id, print: () => out.done(`Stream ${name} (${id}) is in the trash`) })
  },
})

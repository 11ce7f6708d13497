import { command } from '../../command.js'
import { actingAs, authorityOf } from '../../client/access.js'
import { text } from '../../framework/option.js'

/** `coffer streams trash`. */
export const trash = command({
  path: ['streams', 'trash'],
  summary: 'Move a stream to the trash',
  description: 'Hides the stream and all streams below it without deleting them. Restore it with coffer streams update --restore.',
  arguments: { id: text('Stream id', { required: true, names: 'stream' }) },
  options: { ...actingAs },
  examples: [{ type: 'coffer streams trash heart', description: 'hide heart and the streams below it' }],
  json: '{"stream":{…}}',
  offline: true,
  async run({ out, connect }, { id, user, access }) {
    const client = await connect()
    // An update has no effect on a stream that is in the trash already; streams.delete would delete it.
    const answer = await client.call('streams.update', { id, update: { trashed: true } }, await authorityOf(client, { user, access }))
    const { name } = answer.stream
    await out.result(answer, { id, print: () => out.done(`Stream ${name} (${id}) moved to the trash`) })
  },
})

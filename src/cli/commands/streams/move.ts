import { command } from '../../command.js'
import { usageError } from '../../framework/exit.js'
import { actingAs, authorityOf } from '../../client/access.js'
import { flag, text } from '../../framework/option.js'

/** `coffer streams move`. */
export const move = command({
  path: ['streams', 'move'],
  summary: 'Move a stream, with all streams below it',
  arguments: { id: text('Stream id', { required: true, names: 'stream' }) },
  options: {
    to: text('New parent stream', { placeholder: 'id', names: 'stream' }),
    toRoot: flag('Make it a root stream'),
    ...actingAs,
  },
  examples: [
    { type: 'coffer streams move rate --to heart', description: 'move below heart' },
    { type: 'coffer streams move rate --to-root', description: 'make it a root stream' },
  ],
  json: '{"stream":{…}}',
  offline: true,
  async run({ out, connect }, { id, to, toRoot, user, access }) {
    if ((to === undefined) !== toRoot) throw usageError('Either --to <id> or --to-root is required', 'For example: coffer streams move rate --to heart\nList the streams: coffer streams tree')
    const client = await connect()
    const update = { parentId: to ?? null }
    const answer = await client.call('streams.update', { id, update }, await authorityOf(client, { user, access }))
    const { name } = answer.stream
    const place = to === undefined ? 'is now a root stream' : `is now below ${to}`
    await out.result(answer, { id, print: () => out.done(`Stream ${name} (${id}) ${place}`) })
  },
})

import { command } from '../../command.js'
import { jsonObject } from '../../terminal/input/jsonObject.js'
import { actingAs, authorityOf } from '../../client/access.js'
import { text } from '../../framework/option.js'

/** `coffer streams create`. */
export const create = command({
  path: ['streams', 'create'],
  summary: 'Create a stream',
  description:
    'Prints the id of the new stream. An id of your own may contain letters, digits and _ . ~ - as in the API; without --id, the node generates one.',
  arguments: { name: text('Name, unique among its siblings', { required: true }) },
  options: {
    id: text('Id', { placeholder: 'id' }),
    parent: text('Parent stream; defaults to a root stream', { placeholder: 'id', names: 'stream' }),
    clientData: jsonObject('Data that apps store with the stream'),
    ...actingAs,
  },
  examples: [
    { type: 'coffer streams create Heart --id heart', description: 'create a root stream' },
    { type: `coffer streams create 'Resting rate' --parent heart`, description: 'create a stream below it' },
  ],
  json: '{"stream":{…}}',
  offline: true,
  async run({ out, connect }, { name, id, parent, clientData, user, access }) {
    const client = await connect()
    const params = {
      name,
      ...(id === undefined ? {} : { id }),
      ...(parent === undefined ? {} : { parentId: parent }),
      ...(clientData === undefined ? {} : { clientData }),
    }
    const answer = await client.call('streams.create', params, await authorityOf(client, { user, access }))
    const streamId = answer.stream.id
    await out.result(answer, {
      id: streamId,
      print: async () => {
        out.done(`Stream ${name} created. Its id:`)
        await out.line(streamId)
      },
    })
  },
})

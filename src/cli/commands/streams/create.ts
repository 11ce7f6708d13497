import { command } from '../../command.js'
import { jsonObject } from '../../terminal/input/jsonObject.js'
import { recordOf, textOf } from '../../client/answer.js'
import { actingAs, authorityOf } from '../../client/access.js'
import { text } from '../../framework/option.js'

/** `coffer streams create`. */
export const create = command({
  path: ['streams', 'create'],
  summary: 'Make a stream',
  description:
    'Prints the id of the new stream. An id of your choice is kept to letters, digits and _ . ~ - as the API does it; without one, the node chooses.',
  arguments: { name: text('Name, unlike those of the streams beside it', { required: true }) },
  options: {
    id: text('Id', { placeholder: 'id' }),
    parent: text('Stream below which it is made; without it, a root', { placeholder: 'id', names: 'stream' }),
    clientData: jsonObject('Data that apps keep with it'),
    ...actingAs,
  },
  examples: [
    { type: 'coffer streams create Heart --id heart', says: 'a root' },
    { type: `coffer streams create 'Resting rate' --parent heart`, says: 'a stream below it' },
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
    const made = textOf(recordOf(answer['stream'])['id'])
    await out.result(answer, {
      id: made,
      print: async () => {
        out.done(`Stream ${name} made. Its id:`)
        await out.line(made)
      },
    })
  },
})

import { command } from '../../command.js'
import { usageError } from '../../framework/exit.js'
import { jsonObject } from '../../terminal/input/jsonObject.js'
import { actingAs, authorityOf } from '../../client/access.js'
import { flag, text } from '../../framework/option.js'

/** `coffer streams update`. */
export const update = command({
  path: ['streams', 'update'],
  summary: 'Rename a stream, change its data, or restore it from the trash',
  description: 'Fields that are not given stay as they are. Keys of --client-data replace those of the stream; a key set to null is removed.',
  arguments: { id: text('Stream id', { required: true, names: 'stream' }) },
  options: {
    name: text('New name', { placeholder: 'name' }),
    clientData: jsonObject('Data that apps store with the stream'),
    restore: flag('Restore it from the trash'),
    ...actingAs,
  },
  examples: [
    { type: `coffer streams update heart --name 'Heart and blood'`, description: 'rename a stream' },
    { type: 'coffer streams update heart --restore', description: 'restore from the trash' },
  ],
  json: '{"stream":{…}}',
  offline: true,
  async run({ out, connect }, { id, name, clientData, restore, user, access }) {
    const changes = {
      ...(name === undefined ? {} : { name }),
      ...(clientData === undefined ? {} : { clientData }),
      ...(restore ? { trashed: false } : {}),
    }
    if (Object.keys(changes).length === 0) {
      throw usageError('Nothing to change: use --name, --client-data or --restore', 'See: coffer streams update --help')
    }
    const client = await connect()
    const answer = await client.call('streams.update', { id, update: changes }, await authorityOf(client, { user, access }))
    const changed = answer.stream
    await out.result(answer, { id, print: () => out.done(`Stream ${changed.name} (${id}) updated`) })
  },
})

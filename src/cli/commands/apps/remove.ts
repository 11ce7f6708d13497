import { command } from '../../command.js'
import { text } from '../../framework/option.js'

/** `coffer apps remove`. */
export const remove = command({
  path: ['apps', 'remove'],
  summary: 'Take an application out of the directory',
  description: 'Accesses that it holds stay. An entry of the setting appList is taken out there.',
  arguments: { id: text('Its id', { required: true }) },
  examples: [{ type: 'coffer apps remove heart-watch', says: 'not shown any more' }],
  json: '{"appDeletion":{"id"}}',
  offline: true,
  async run({ out, connect }, { id }) {
    const client = await connect()
    const answer = await client.call('apps.remove', { id }, {})
    await out.result(answer, { id, print: () => out.done(`Application ${id} taken out.`) })
  },
})

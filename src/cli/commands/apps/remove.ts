import { command } from '../../command.js'
import { text } from '../../framework/option.js'

/** `coffer apps remove`. */
export const remove = command({
  path: ['apps', 'remove'],
  summary: 'Remove an application from the app directory',
  description: 'Accesses of the application stay. Entries of the setting appList are removed there.',
  arguments: { id: text('Application id', { required: true, names: 'app' }) },
  examples: [{ type: 'coffer apps remove heart-watch', description: 'remove an application' }],
  json: '{"appDeletion":{"id"}}',
  offline: true,
  async run({ out, connect }, { id }) {
    const client = await connect()
    const answer = await client.call('apps.remove', { id }, {})
    await out.result(answer, { id, print: () => out.done(`Application ${id} removed.`) })
  },
})

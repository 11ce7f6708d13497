import { command } from '../../command.js'
import { usageError } from '../../framework/exit.js'
import { text } from '../../framework/option.js'
import { entryOf, entryOptions } from './fields.js'

/** `coffer apps update`. */
export const update = command({
  path: ['apps', 'update'],
  summary: 'Update an application in the app directory',
  description: 'Fields that are not given stay as they are; an empty text removes a field.',
  arguments: { id: text('Application id', { required: true, names: 'app' }) },
  options: entryOptions,
  examples: [
    { type: 'coffer apps update heart-watch --active no', description: 'mark it as inactive' },
    { type: "coffer apps update heart-watch --category ''", description: 'remove the category' },
  ],
  json: '{"app":{"id",…}}, as in coffer apps list',
  offline: true,
  async run({ out, connect }, { id, ...options }) {
    const app = entryOf(options)
    if (Object.keys(app).length === 0) throw usageError('Nothing to change: no option given', 'See: coffer apps update --help')
    const client = await connect()
    const answer = await client.call('apps.update', { id, app }, {})
    await out.result(answer, { id, print: () => out.done(`Application ${id} updated.`) })
  },
})

import { command } from '../../command.js'
import { usageError } from '../../framework/exit.js'
import { text } from '../../framework/option.js'
import { entryOf, entryOptions } from './fields.js'

/** `coffer apps update`. */
export const update = command({
  path: ['apps', 'update'],
  summary: 'Change what the directory says of an application',
  description: 'Fields that are not named stay; an empty text takes a field out.',
  arguments: { id: text('Its id', { required: true }) },
  options: entryOptions,
  examples: [
    { type: 'coffer apps update heart-watch --active no', says: 'not for now' },
    { type: "coffer apps update heart-watch --category ''", says: 'without a category' },
  ],
  json: '{"app":{"id",…}}, as in coffer apps list',
  offline: true,
  async run({ out, connect }, { id, ...options }) {
    const app = entryOf(options)
    if (Object.keys(app).length === 0) throw usageError('There is nothing to change', 'See: coffer apps update --help')
    const client = await connect()
    const answer = await client.call('apps.update', { id, app }, {})
    await out.result(answer, { id, print: () => out.done(`Application ${id} changed.`) })
  },
})

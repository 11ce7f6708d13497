import { command } from '../../command.js'
import { text } from '../../framework/option.js'
import { entryOf, entryOptions } from './fields.js'

/** `coffer apps add`. */
export const add = command({
  path: ['apps', 'add'],
  summary: 'Add an application to the app directory',
  description: 'The directory only describes applications. An entry does not grant any access.',
  arguments: { id: text('Application id, as apps send it: letters, digits, dots, - and _', { required: true }) },
  options: entryOptions,
  examples: [
    { type: "coffer apps add heart-watch --name 'Heart Watch' --url https://heart.example/ --active yes", description: 'add an application' },
  ],
  json: '{"app":{"id",…}}, as in coffer apps list',
  offline: true,
  async run({ out, connect }, { id, ...options }) {
    const entry = Object.entries(entryOf(options)).filter(([, value]) => value !== null)
    const client = await connect()
    const answer = await client.call('apps.add', { id, app: Object.fromEntries(entry) }, {})
    await out.result(answer, { id, print: () => out.done(`Application ${id} added.`) })
  },
})

import { command } from '../../command.js'
import { recordOf, textOf } from '../../client/answer.js'
import { text } from '../../framework/option.js'

/** `coffer dns unset`. */
export const unset = command({
  path: ['dns', 'unset'],
  summary: 'Take the records of a name away',
  description: 'Those of coffer dns set; what the setting dns.staticEntries says is taken out there.',
  arguments: { name: text('The name, without the domain', { required: true }) },
  examples: [{ type: 'coffer dns unset www', says: 'there is no such name any more' }],
  json: '{"nameDeletion":{"subdomain"}}',
  offline: true,
  async run({ out, connect }, { name }) {
    const client = await connect()
    const answer = await client.call('dns.unset', { subdomain: name }, {})
    const subdomain = textOf(recordOf(answer['nameDeletion'])['subdomain'])
    await out.result(answer, { id: subdomain, print: () => out.done(`${subdomain} has no records any more.`) })
  },
})

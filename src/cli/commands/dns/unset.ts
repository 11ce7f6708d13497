import { command } from '../../command.js'
import { text } from '../../framework/option.js'

/** `coffer dns unset`. */
export const unset = command({
  path: ['dns', 'unset'],
  summary: 'Remove the DNS records of a name',
  description: 'Removes records set with coffer dns set. Records of the setting dns.staticEntries are removed there.',
  arguments: { name: text('Name without the domain', { required: true, names: 'record' }) },
  examples: [{ type: 'coffer dns unset www', description: 'remove the records of www' }],
  json: '{"nameDeletion":{"subdomain"}}',
  offline: true,
  async run({ out, connect }, { name }) {
    const client = await connect()
    const answer = await client.call('dns.unset', { subdomain: name }, {})
    const { subdomain } = answer.nameDeletion
    await out.result(answer, { id: subdomain, print: () => out.done(`Records of ${subdomain} removed.`) })
  },
})

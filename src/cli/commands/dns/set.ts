import { command } from '../../command.js'
import { usageError } from '../../framework/exit.js'
import { list as several, text } from '../../framework/option.js'

/** `coffer dns set`. */
export const set = command({
  path: ['dns', 'set'],
  summary: 'Set the DNS records of a name, replacing existing ones',
  description:
    'The DNS server of the node uses them immediately. A name with --cname cannot have other records. Records for the name of an account replace those that lead to the node. Records of the domain itself are settings: dns.records.root.',
  arguments: { name: text('Name without the domain: www, _dmarc.mail', { required: true }) },
  options: {
    a: several('IPv4 address', { placeholder: 'address' }),
    aaaa: several('IPv6 address', { placeholder: 'address' }),
    txt: several('Text record', { placeholder: 'text' }),
    cname: text('Canonical name that it is an alias of', { placeholder: 'name' }),
  },
  examples: [
    { type: 'coffer dns set www --a 192.0.2.1', description: 'set an address' },
    { type: 'coffer dns set _dmarc --txt "v=DMARC1; p=reject"', description: 'set a text record' },
    { type: 'coffer dns set photos --cname photos.example.net', description: 'make an alias of another name' },
  ],
  json: '{"name":{"subdomain","records":{"a":[…],"aaaa":[…],"txt":[…],"cname"},"from":"set"}}',
  offline: true,
  async run({ out, connect }, { name, a, aaaa, txt, cname }) {
    const lists = Object.entries({ a, aaaa, txt }).filter(([, values]) => values.length > 0)
    const records = { ...Object.fromEntries(lists), ...(cname === undefined ? {} : { cname }) }
    if (Object.keys(records).length === 0) throw usageError('No record given: use --a, --aaaa, --txt or --cname', ['Remove the records of a name', 'dns', 'unset', '<name>'])
    const client = await connect()
    const answer = await client.call('dns.set', { subdomain: name, records }, {})
    const { subdomain } = answer.name
    await out.result(answer, { id: subdomain, print: () => out.done(`Records of ${subdomain} set.`) })
  },
})

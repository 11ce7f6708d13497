import { command } from '../../command.js'
import { usageError } from '../../framework/exit.js'
import { recordOf, textOf } from '../../client/answer.js'
import { list as several, text } from '../../framework/option.js'

/** `coffer dns set`. */
export const set = command({
  path: ['dns', 'set'],
  summary: 'Give a name below the domain records, in place of those it had',
  description:
    'The name server of the node answers with them at once. A name with --cname has nothing else. The name of an account leads where its records say, and no longer to the node. Records of the domain itself are settings: dns.records.root.',
  arguments: { name: text('The name, without the domain: www, _dmarc.mail', { required: true }) },
  options: {
    a: several('IPv4 address; may be given several times', { placeholder: 'address' }),
    aaaa: several('IPv6 address; may be given several times', { placeholder: 'address' }),
    txt: several('A text; may be given several times', { placeholder: 'text' }),
    cname: text('The name that it is another one of', { placeholder: 'name' }),
  },
  examples: [
    { type: 'coffer dns set www --a 192.0.2.1', says: 'an address' },
    { type: 'coffer dns set _dmarc --txt "v=DMARC1; p=reject"', says: 'a text' },
    { type: 'coffer dns set photos --cname photos.example.net', says: 'another name of a place elsewhere' },
  ],
  json: '{"name":{"subdomain","records":{"a":[…],"aaaa":[…],"txt":[…],"cname"},"from":"set"}}',
  offline: true,
  async run({ out, connect }, { name, a, aaaa, txt, cname }) {
    const lists = Object.entries({ a, aaaa, txt }).filter(([, values]) => values.length > 0)
    const records = { ...Object.fromEntries(lists), ...(cname === undefined ? {} : { cname }) }
    if (Object.keys(records).length === 0) throw usageError('No record is given: --a, --aaaa, --txt or --cname', ['To take those of a name away', 'dns', 'unset', '<name>'])
    const client = await connect()
    const answer = await client.call('dns.set', { subdomain: name, records }, {})
    const subdomain = textOf(recordOf(answer['name'])['subdomain'])
    await out.result(answer, { id: subdomain, print: () => out.done(`${subdomain} has these records now.`) })
  },
})

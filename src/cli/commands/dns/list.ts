import { command } from '../../command.js'
import type { Record_ } from '../../client/answer.js'
import { counted } from '../../terminal/output/format.js'

interface Row {
  name: string
  type: string
  value: string
  from: string
}

/** `coffer dns list`. */
export const list = command({
  path: ['dns', 'list'],
  summary: 'List the DNS records set below the domain',
  description:
    'Lists the records of the settings dns.records.root (the domain itself, as @) and dns.staticEntries, and those set with coffer dns set. Names of accounts and the names reg, access, mfa and lsc are not listed: they resolve to the node.',
  examples: [
    { type: 'coffer dns list', description: 'one line per record' },
    { type: 'coffer dns list --json', description: 'for programs' },
  ],
  json: '{"domain","active","root":{…},"names":[{"subdomain","records":{"a":[…],"aaaa":[…],"txt":[…],"cname"},"from"}]}; from is settings or set',
  offline: true,
  async run({ out, connect, commandFor }) {
    const client = await connect()
    const answer = await client.call('dns.list', {}, {})
    const { names } = answer
    const rows = [
      ...rowsOf('@', answer.root, 'settings'),
      ...names.flatMap(({ subdomain, records, from }) => rowsOf(subdomain, records, from)),
    ]
    await out.list(answer, {
      columns: [
        { title: 'NAME', cell: ({ name }) => name },
        { title: 'TYPE', cell: ({ type }) => type },
        { title: 'VALUE', cell: ({ value }) => value, shrinks: true },
        { title: 'FROM', cell: ({ from }) => from, drops: true },
      ],
      rows,
      id: ({ name }) => name,
      count: counted(rows.length, 'record'),
    })
    if (!answer.active) {
      const domain = answer.domain ?? 'example.org'
      out.note(`The DNS server of this node is off. To serve ${domain}: ${commandFor('config', 'set', 'dns.active', 'true')}`)
    }
  },
})

function rowsOf(name: string, records: Record_, from: string): Row[] {
  return Object.entries(records).flatMap(([type, value]) =>
    (Array.isArray(value) ? (value as unknown[]) : [value]).map((each): Row => ({ name, type: type.toUpperCase(), value: valueText(each), from })),
  )
}

const valueText = (value: unknown): string => (typeof value === 'object' && value !== null ? Object.values(value).map(String).join(' ') : String(value))

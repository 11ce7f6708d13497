/** Operator methods for DNS names of the domain, besides the methods of the API. */
import * as z from 'zod'
import { documented } from '../../base/documented.js'
import { NameRecords, RootRecords } from '../../config/dnsRecords.js'
import { listNames, setName, unsetName } from '../../platform/dns/names.js'
import { operatorMethod } from '../operatorMethod.js'

const subdomain = z.string().describe('Name below the domain, such as www.')

const Name = z.object({
  subdomain,
  records: NameRecords.describe('Its records.'),
  from: z.enum(['settings', 'set']).describe('settings: from dns.staticEntries; set: by dns.set.'),
})

const list = operatorMethod({
  id: 'dns.list',
  summary: 'Lists the names of the domain with their records.',
  input: z.strictObject({}),
  output: () => z.object({
    domain: z.string().nullable().describe('The domain; null for none.'),
    active: z.boolean().describe('true when the name server of the node is running.'),
    root: RootRecords.describe('Records of the domain itself, from the settings.'),
    names: z.array(Name).describe('The names, sorted.'),
  }),
  fails: [],
  async run({ node }) {
    const { config } = node
    return { domain: config.get('dns.domain'), active: config.get('dns.active'), root: config.get('dns.records.root'), names: await listNames(node) }
  },
})

const set = operatorMethod({
  id: 'dns.set',
  summary: 'Replaces the records of a name.',
  // `setName` checks both, with failures that name the problem.
  input: z.strictObject({ subdomain, records: documented(NameRecords).describe('Records of the name.') }),
  output: () => z.object({ name: Name.describe('The name.') }),
  fails: ['invalid-parameters'],
  run: async ({ node }, input) => ({ name: await setName(node, input) }),
})

const unset = operatorMethod({
  id: 'dns.unset',
  summary: 'Removes the records of a name.',
  input: z.strictObject({ subdomain }),
  output: () => z.object({ nameDeletion: z.object({ subdomain }).describe('The removed name.') }),
  fails: ['invalid-parameters', 'unknown-resource', 'invalid-operation'],
  run: async ({ node }, input) => ({ nameDeletion: await unsetName(node, input.subdomain) }),
})

export const dnsMethods = [list, set, unset] as const

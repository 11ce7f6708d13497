import * as z from 'zod'
import { checkInput } from '../../../store/model/validation.js'
import { NameRecords } from '../../config/dnsRecords.js'
import { setName, unsetName } from '../../platform/dns/names.js'
import { documented } from '../../base/documented.js'
import { adminKeyOrForbidden } from '../../call/callers.js'
import { platformMethod } from '../../call/method.js'

/** Members are validated one by one, so that the failure names the faulty one. */
const SetRecords = z.object({ subdomain: z.unknown(), records: z.unknown() })

/** The method that sets DNS records (docs/interface/system.md#dns-records). */
export const setRecords = platformMethod({
  id: 'reg.setRecords',
  summary: 'Sets the DNS records of a name below the domain; replaces earlier ones.',
  http: { verb: 'POST', path: '/reg/records' },
  caller: adminKeyOrForbidden,
  input: documented(z.object({
    subdomain: z.string().describe("Name below the node's domain, such as www or _dmarc.mail."),
    records: NameRecords.describe('Records of the name, at least one; they replace all earlier ones.'),
  })),
  output: () => z.object({
    subdomain: z.string().describe('The name.'),
    records: NameRecords.describe('The stored records.'),
    status: z.literal('ok').describe('ok once they are stored.'),
  }),
  notInBatch: true,
  fails: ['forbidden', 'invalid-parameters'],
  async run({ node }, body) {
    const input = checkInput(SetRecords, body)
    const { subdomain, records } = await setName(node, input.success ? input.data : { subdomain: undefined, records: undefined })
    return { subdomain, records, status: 'ok' }
  },
})

/** The method that deletes DNS records (docs/interface/system.md#dns-records). */
export const deleteRecords = platformMethod({
  id: 'reg.deleteRecords',
  summary: 'Deletes the DNS records of a name.',
  http: { verb: 'DELETE', path: '/reg/records/:subdomain' },
  caller: adminKeyOrForbidden,
  input: z.object({ subdomain: z.string().describe("Name below the node's domain, such as www.") }),
  output: () => z.object({
    subdomain: z.string().describe('The name.'),
    status: z.literal('deleted').describe('deleted once they are removed.'),
  }),
  notInBatch: true,
  fails: ['forbidden', 'invalid-parameters', 'invalid-operation', 'unknown-resource'],
  run: async ({ node }, { subdomain }) => ({ ...(await unsetName(node, subdomain)), status: 'deleted' }),
})

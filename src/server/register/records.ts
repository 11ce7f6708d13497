import * as z from 'zod'
import { checkInput } from '../../store/model/validation.js'
import { NameRecords } from '../config/dnsRecords.js'
import { setName, unsetName } from '../dns/names.js'
import { documented } from '../documented.js'
import { platformMethod } from '../method.js'

/** The members are checked one by one, so that a refusal names the one that is wrong. */
const SetRecords = z.object({ subdomain: z.unknown(), records: z.unknown() })

/** Specification, "Registration and lookups"; accounts supplement 19. */
export const setRecords = platformMethod({
  id: 'reg.setRecords',
  summary: 'Gives a name below the domain DNS records, in place of those it had.',
  http: { verb: 'POST', path: '/reg/records' },
  input: documented(z.object({ subdomain: z.string(), records: NameRecords })),
  output: z.object({ subdomain: z.string(), records: NameRecords, status: z.literal('ok') }),
  admin: 'forbidden',
  alone: true,
  fails: ['forbidden', 'invalid-parameters'],
  async run({ node }, body) {
    const given = checkInput(SetRecords, body)
    const { subdomain, records } = await setName(node, given.success ? given.data : { subdomain: undefined, records: undefined })
    return { subdomain, records, status: 'ok' }
  },
})

/** Accounts supplement 19. */
export const deleteRecords = platformMethod({
  id: 'reg.deleteRecords',
  summary: 'Takes the DNS records of a name away.',
  http: { verb: 'DELETE', path: '/reg/records/:subdomain' },
  input: z.object({ subdomain: z.string() }),
  output: z.object({ subdomain: z.string(), status: z.literal('deleted') }),
  admin: 'forbidden',
  alone: true,
  fails: ['forbidden', 'invalid-parameters', 'invalid-operation', 'unknown-resource'],
  run: async ({ node }, { subdomain }) => ({ ...(await unsetName(node, subdomain)), status: 'deleted' }),
})

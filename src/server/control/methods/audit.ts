/** Operator method for the retention of audit records. */
import * as z from 'zod'
import { readRetention } from '../../../store/accounts/auditRetention.js'
import { operatorMethod } from '../operatorMethod.js'
import { loadedOf, OfAccount } from './loaded.js'

const retention = operatorMethod({
  id: 'audit.retention',
  summary: 'Returns the retention of audit records of an account.',
  input: z.strictObject(OfAccount),
  output: () => z.object({
    since: z.number().nullable().describe('Time from which records are complete, in seconds since 1970; null when none was removed.'),
    maxAgeDays: z.number().nullable().describe('Maximum age in days; null when unlimited.'),
    maxMbPerAccount: z.number().nullable().describe('Maximum size in MB; null when unlimited.'),
  }),
  fails: ['unknown-user'],
  async run({ node }, input) {
    const { account } = await loadedOf(node, input)
    return {
      since: readRetention(account).since ?? null,
      maxAgeDays: node.config.get('audit.retention.maxAgeDays') || null,
      maxMbPerAccount: node.config.get('audit.retention.maxMbPerAccount') || null,
    }
  },
})

export const auditMethods = [retention] as const

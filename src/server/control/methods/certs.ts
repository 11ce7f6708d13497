/** Operator method for problems of the node's certificate, besides `system.certs`. */
import * as z from 'zod'
import { operatorMethod } from '../operatorMethod.js'

export const CertificateFault = z.enum([
  ...['missing', 'closed', 'unreadable', 'not-a-certificate', 'not-a-key', 'sealed-key', 'mismatch', 'expired', 'not-yet-valid', 'unusable'] as const,
  ...['not-issued', 'not-renewed'] as const,
])

const problem = operatorMethod({
  id: 'certs.problem',
  summary: "Returns the problem of the node's certificate.",
  input: z.strictObject({}),
  output: () => z.object({
    isOn: z.boolean().describe('true when the node serves HTTPS itself.'),
    fault: CertificateFault.nullable().describe('Reason why the certificate cannot be used; null for none.'),
  }),
  fails: [],
  async run({ node: { certificates } }) {
    const state = await certificates.state()
    return { isOn: certificates.isOn, fault: state?.problem?.fault ?? null }
  },
})

export const certificateMethods = [problem] as const

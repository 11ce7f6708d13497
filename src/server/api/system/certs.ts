/**
 * Methods of certificates (docs/interface/system.md#certificates): the certificate of the node's own HTTPS, from files or from an
 * authority, if any.
 */
import * as z from 'zod'
import { Failure, FormedFailure } from '../../../store/model/failure.js'
import { checkInput } from '../../../store/model/validation.js'
import { documented } from '../../base/documented.js'
import { adminKey } from '../../call/callers.js'
import { platformMethod, type PlatformCall } from '../../call/method.js'
import { NotRenewed, type CertificateDeps } from '../../tls/certificate.js'

const Renewal = z.object({ hostname: z.string().optional().describe('Host name of the certificate; default: that of the node.') })

export const CertificateView = z.object({
  hostname: z.string().describe('Host name.'),
  issuedAt: z.number().describe('Start of validity, in milliseconds since 1970.'),
  expiresAt: z.number().describe('End of validity, in milliseconds since 1970.'),
  daysUntilExpiry: z.number().int().nullable().describe('Days until the end of validity.'),
})

export const certs = platformMethod({
  id: 'system.certs',
  summary: 'Lists the certificates of the platform, without keys.',
  http: { verb: 'GET', path: '/system/admin/certs' },
  caller: adminKey,
  input: z.unknown(),
  output: () => z.object({
    certs: z.array(CertificateView).describe('The certificates.'),
  }),
  notInBatch: true,
  fails: [],
  run: async ({ node }: PlatformCall<CertificateDeps>) => ({ certs: await node.certificates.list() }),
})

export const forceRenew = platformMethod({
  id: 'system.forceRenewCert',
  summary: 'Renews a certificate.',
  http: { verb: 'POST', path: '/system/admin/certs/force-renew' },
  caller: adminKey,
  input: documented(Renewal),
  output: () => z.object({
    ok: z.boolean().describe('true once it is renewed.'),
    hostname: z.string().describe('Host name.'),
    issuedAt: z.number().describe('Start of validity, in milliseconds since 1970.'),
    expiresAt: z.number().describe('End of validity, in milliseconds since 1970.'),
  }),
  notInBatch: true,
  fails: ['invalid-request', 'renewal-failed'],
  async run({ node }: PlatformCall<CertificateDeps>, body) {
    const input = checkInput(Renewal, body)
    if (!input.success) throw new Failure('invalid-request', 'hostname must be a string.')
    try {
      const { hostname, issuedAt, expiresAt } = await node.certificates.renew(input.data.hostname)
      return { ok: true, hostname, issuedAt, expiresAt }
    } catch (error) {
      if (!(error instanceof NotRenewed)) throw error
      throw new FormedFailure('renewal-failed', error.message, (own) => ({ ok: false, error: own }))
    }
  },
})

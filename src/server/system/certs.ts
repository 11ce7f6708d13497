/** Certificates (accounts supplement 20): that of the node's own HTTPS, which comes from files; without it there are none. */
import * as z from 'zod'
import { Failure, FormedFailure } from '../../store/model/failure.js'
import { documented } from '../documented.js'
import { platformMethod } from '../method.js'

const Renewal = z.object({ hostname: z.string().optional() })

export const certs = platformMethod({
  id: 'system.certs',
  summary: 'Lists the certificates of the platform; never their keys.',
  http: { verb: 'GET', path: '/system/admin/certs' },
  input: z.unknown(),
  output: z.object({
    certs: z.array(
      z.object({
        hostname: z.string(),
        issuedAt: z.number(),
        expiresAt: z.number(),
        daysUntilExpiry: z.number().int().nullable(),
      }),
    ),
  }),
  admin: true,
  alone: true,
  fails: [],
  run: async ({ node }) => ({ certs: await node.certificates.list() }),
})

export const forceRenew = platformMethod({
  id: 'system.forceRenewCert',
  summary: 'Renews a certificate at once.',
  http: { verb: 'POST', path: '/system/admin/certs/force-renew' },
  input: documented(Renewal),
  output: z.object({ ok: z.boolean(), hostname: z.string(), issuedAt: z.number(), expiresAt: z.number() }),
  admin: true,
  alone: true,
  fails: ['invalid-request', 'renewal-failed'],
  run({ node }, body) {
    const asked = Renewal.safeParse(body)
    if (!asked.success) throw new Failure('invalid-request', 'hostname must be a text.')
    const message = node.certificates.isOn
      ? 'Certificates are not renewed by this node: it reads them from files, and takes up new ones within a minute.'
      : 'Certificates are not renewed by this node: a proxy in front of it holds them.'
    throw new FormedFailure('renewal-failed', message, (error) => ({ ok: false, error }))
  },
})

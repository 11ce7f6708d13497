import * as z from 'zod'
import { Failure } from '../../../store/model/failure.js'
import { checkInput } from '../../../store/model/validation.js'
import { countAgainst, type RateLimit } from '../../auth/rateLimit.js'
import { clientKey } from '../../base/clientAddress.js'
import { documented } from '../../base/documented.js'
import { joinTokenHolder } from '../../call/callers.js'
import type { Context } from '../../call/context.js'
import { platformMethod } from '../../call/method.js'
import { acknowledgeCore } from '../../platform/joining/acknowledgement.js'

/** Tokens cannot be guessed; the limit keeps strangers from causing reads of the registry. */
const LIMITS: readonly RateLimit[] = [{ max: 30, seconds: 60 }]
const MAX_CLIENTS = 10_000

/** Times of the calls of each client, by the store of the node. */
const callsOf = new WeakMap<object, Map<string, number[]>>()

const Acknowledgement = z.object({
  coreId: z.string().min(1).max(63).describe('Id of the new core.'),
  token: z.string().min(1).max(200).describe('Join token of its bundle.'),
  tlsFingerprint: z.string().max(200).optional().describe('SHA-256 of the certificate of the new core, for the log.'),
})

/**
 * Puts a new core into service (docs/interface/system.md#cores). A join token takes the place of the admin key.
 */
export const ackCore = platformMethod({
  id: 'system.ackCore',
  summary: 'Acknowledges that a new core has joined the platform.',
  http: { verb: 'POST', path: '/system/admin/cores/ack' },
  caller: joinTokenHolder,
  input: documented(Acknowledgement),
  output: () => z.object({
    ok: z.literal(true).describe('The core is in service.'),
    coreId: z.string().describe('Id of the core.'),
    cluster: z
      .object({
        cores: z
          .array(
            z.object({
              id: z.string().describe('Id of the core.'),
              url: z.string().nullable().describe('Address; null if it follows from the id and the domain of the platform.'),
              hosting: z.string().nullable().describe('Key of its hosting; null if not set.'),
              available: z.boolean().describe('true if it accepts new accounts.'),
            }),
          )
          .describe('All cores.'),
        lscIps: z.array(z.string()).describe('IP addresses of the cores.'),
      })
      .describe('The platform.'),
  }),
  notInBatch: true,
  fails: ['invalid-body', 'token-invalid', 'token-coreid-mismatch', 'core-not-pre-registered', 'platform-unavailable', 'too-many-attempts'],
  async run({ node, origin }, body) {
    const input = checkInput(Acknowledgement, body)
    if (!input.success) throw new Failure('invalid-body')
    countCall(node, origin.ip)
    const { coreId, tlsFingerprint } = input.data
    const cluster = await acknowledgeCore(node.registry, input.data, { now: node.clock.now(), ip: origin.ip })
    node.log.info('a core has joined the platform', { core: coreId, ...(tlsFingerprint === undefined ? {} : { tlsFingerprint }) })
    return { ok: true as const, coreId, cluster }
  },
})

/** Counts a call of a client. @throws Failure `too-many-attempts` */
function countCall(node: Pick<Context, 'registry' | 'store' | 'clock'>, ip: string | undefined): void {
  const client = clientKey(node, ip)
  if (client === undefined) return
  const calls = callsOf.get(node.store) ?? new Map<string, number[]>()
  callsOf.set(node.store, calls)
  const times = countAgainst(calls.get(client) ?? [], node.clock.now(), LIMITS)
  // The order of a map is that of insertion: the client whose last call is the oldest comes first.
  calls.delete(client)
  const [oldest] = calls.keys()
  if (calls.size >= MAX_CLIENTS && oldest !== undefined) calls.delete(oldest)
  calls.set(client, times)
}

import * as z from 'zod'
import { constantTimeEqualDigests } from '../../../store/model/constantTimeEqual.js'
import { Failure } from '../../../store/model/failure.js'
import { ended, isOver, type SharedSecret, type SharedSecretContent, type SharedSecretInfo } from '../../../store/model/sharedSecret.js'
import { documented } from '../../base/documented.js'
import { secretKeyHolder } from '../../call/callers.js'
import { openMethod, type Result } from '../../call/method.js'
import { recordEnded, secretOfKey, secretsOff, unknownSecret } from './rules.js'

const RetrieveBody = z.object({
  key: z.string().describe('Key of the secret.'),
  signature: z.object({
    type: z.enum(['secret', 'hmac-sha256']).describe('Kind of the proof.'),
    payload: z.string().describe('The second secret itself, or HMAC-SHA-256 with it over the key.'),
  }).optional().describe('Proof of the second secret, where one is required.'),
})

/**
 * Route that redeems a secret. See docs/interface/shared-secrets.md#redemption. One transaction decides, so exactly one of
 * several callers gets the value; consumption is on disk before the response.
 */
export const retrieve = openMethod({
  id: 'sharedSecrets.retrieve',
  summary: 'Reads the value of a shared secret, once.',
  http: { verb: 'POST', path: '/shared-secrets/retrieve', absentAccount: unknownSecret },
  caller: secretKeyHolder,
  input: documented(RetrieveBody),
  output: () => z.object({ secret: z.unknown().describe('The value that was handed over: any JSON.') }),
  notInBatch: true,
  auditedAs: 'public',
  fails: ['unavailable-method', 'unknown-resource', 'forbidden'],
  unavailable: secretsOff,
  async run(call, body) {
    const { node, account, trail } = call
    const { key, signature } = membersOf(body)
    // Check the key before queueing a write.
    secretOfKey(call, account.db, key)
    const answer = await account.write((t): Result | Failure => {
      const { secret, open } = secretOfKey(call, t, key)
      if (open === undefined) return unavailable(secret)
      const content = open()
      const verdict = judge(secret, content, signature, node.clock.now())
      if (verdict === 'unproved') return unavailable(secret)
      const info = verdict === 'right' ? {} : { info: verdict }
      const status = verdict === 'right' ? 'consumed' : 'discarded'
      recordEnded(node, t, ended(secret, { status, time: node.clock.now(), ...info }))
      trail?.stage(t)
      return verdict === 'right' ? { secret: content.secret } : unavailable(secret)
    })
    if (answer instanceof Failure) throw answer
    return answer
  },
})

const membersOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

/** Decides on a pending secret: redeem it, discard it for a reason, or `unproved` for a missing proof, which changes nothing. */
function judge(
  secret: SharedSecret,
  { signatureValue }: SharedSecretContent,
  signature: unknown,
  now: number,
): 'right' | 'unproved' | SharedSecretInfo {
  if (isOver(secret, now)) return 'expired'
  if (signatureValue === undefined) return 'right'
  const { type, payload } = membersOf(signature)
  if (payload === undefined || payload === null) return 'unproved'
  const isRight = type === secret.signatureType && typeof payload === 'string' && constantTimeEqualDigests(payload, signatureValue)
  return isRight ? 'right' : 'Secret does not match'
}

/** Returns the failure for late callers or a missing proof, with the creator's own message. */
function unavailable({ onConsumed: { message, returnUrl } }: SharedSecret): Failure {
  const id = 'shared-secret-unavailable'
  return new Failure('forbidden', message, returnUrl === undefined ? { id } : { id, returnUrl })
}

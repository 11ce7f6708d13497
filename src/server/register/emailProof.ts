/**
 * Proofs of an e-mail address: what the code of a registration mail is exchanged for, good for one registration with
 * that address (accounts supplement 11). Only its hash is kept, under a keyed hash of the address.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { Failure, invalidFormat } from '../../store/model/failure.js'
import { normalEmail } from '../../store/model/emails.js'
import type { Node } from '../node.js'
import type { Registration } from './input.js'

const FAMILY = 'email-proof'

/** Whether addresses are proved before an account is made. */
export const provesEmails = (node: Node): boolean =>
  node.config.get('account.emailVerification.requireAtRegistration')

/** What records about an address are found by: the address itself is in none of them. */
export const addressKey = (node: Node, email: string): string =>
  node.store.seal.digest(`registration address ${normalEmail(email)}`)

const digestOf = (proof: string): string => createHash('sha256').update(proof).digest('hex')

/** Makes the proof of an address; one made before ends. */
export async function issueProof(node: Node, email: string): Promise<string> {
  const proof = randomBytes(32).toString('base64url')
  const expires = node.clock.now() + node.config.get('account.emailVerification.registrationProofMaxAgeMs') / 1000
  const put = { digest: digestOf(proof) }
  await node.registry.records.change(FAMILY, addressKey(node, email), () => ({ put, expires, result: undefined }))
  return proof
}

/** A proof that was shown and is right. */
export interface ShownProof {
  /** @throws Failure `forbidden` when it has been used, or is over, since it was shown */
  stillThere(): Promise<void>
  /** Uses it up. */
  used(): Promise<void>
}

/**
 * Looks at the proof of a registration, which stays good until the account is there; undefined when none is needed.
 * @throws Failure `forbidden` without a good one, `invalid-parameters-format` without an address
 */
export async function proveEmail(node: Node, { fields, emailProof = '' }: Registration): Promise<ShownProof | undefined> {
  if (!provesEmails(node)) return undefined
  const { email } = fields
  if (typeof email !== 'string' || email.trim() === '') {
    throw invalidFormat([{ code: 'email-required', message: 'Email is required', path: '#/', param: 'email' }])
  }
  const { records } = node.registry
  const key = addressKey(node, email)
  async function stillThere(): Promise<void> {
    if (isProof(await records.get(FAMILY, key), emailProof)) return
    throw new Failure('forbidden', 'The e-mail address has to be proved first: ask for a code.', {
      emailVerificationRequired: true,
    })
  }
  await stillThere()
  return {
    stillThere,
    async used() {
      try {
        await records.change(FAMILY, key, (now) =>
          isProof(now, emailProof) ? { put: null, result: undefined } : { result: undefined },
        )
      } catch (error) {
        // The account is there, and holds the address: nobody else can use the proof.
        node.log.error('the proof of an e-mail address stays until it expires', { error: String(error) })
      }
    },
  }
}

function isProof(stored: unknown, proof: string): boolean {
  const digest = (stored as { digest: string } | undefined)?.digest
  return digest !== undefined && timingSafeEqual(Buffer.from(digest), Buffer.from(digestOf(proof)))
}

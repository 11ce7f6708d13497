/**
 * Proofs of an e-mail address, obtained for a mailed code and valid for one registration with that address
 * (docs/interface/registration.md#e-mail-codes). Only a hash is stored, under a keyed hash of the address.
 */
import { randomBytes } from 'node:crypto'
import { secretDigest } from '../../base/secretDigest.js'
import { constantTimeEqual } from '../../../store/model/constantTimeEqual.js'
import { Failure, invalidFormat } from '../../../store/model/failure.js'
import { normalEmail } from '../../../store/model/emails.js'
import type { Context } from '../../call/context.js'
import type { Registration } from './input.js'

const FAMILY = 'email-proof'

/** Checks whether registration requires a verified address. */
export const provesEmails = (node: Context): boolean =>
  node.config.get('account.emailVerification.requireAtRegistration')

/** Returns the key of records about an address: a keyed hash, since records hold no address. */
export const addressKey = (node: Context, email: string): string =>
  node.registry.platformSeal.digest(`registration address ${normalEmail(email)}`)

/** Issues a proof of an address, replacing an earlier one. */
export async function issueProof(node: Context, email: string): Promise<string> {
  const proof = randomBytes(32).toString('base64url')
  const expires = node.clock.now() + node.config.get('account.emailVerification.registrationProofMaxAgeMs') / 1000
  const put = { digest: secretDigest(proof) }
  await node.registry.records.change(FAMILY, addressKey(node, email), () => ({ put, expires, result: undefined }))
  return proof
}

/** A presented, valid proof. */
interface PresentedProof {
  /**
   * Checks the proof again.
   * @throws Failure `forbidden` when it was used or expired since it was presented
   */
  assertStillValid(): Promise<void>
  /** Consumes the proof. */
  consume(): Promise<void>
}

/**
 * Checks the proof of a registration, which stays valid until the account exists; undefined when none is required.
 * @throws Failure `forbidden` without a valid one, `invalid-parameters-format` without an address
 */
export async function proveEmail(node: Context, { fields, emailProof = '' }: Registration): Promise<PresentedProof | undefined> {
  if (!provesEmails(node)) return undefined
  const { email } = fields
  if (typeof email !== 'string' || email.trim() === '') {
    throw invalidFormat([{ code: 'email-required', message: 'Email is required', path: '#/', param: 'email' }])
  }
  const { records } = node.registry
  const key = addressKey(node, email)
  async function assertStillValid(): Promise<void> {
    if (isProof(await records.get(FAMILY, key), emailProof)) return
    throw new Failure('forbidden', 'The e-mail address must be verified first: request a code.', {
      emailVerificationRequired: true,
    })
  }
  await assertStillValid()
  return {
    assertStillValid,
    async consume() {
      try {
        await records.change(FAMILY, key, (now) =>
          isProof(now, emailProof) ? { put: null, result: undefined } : { result: undefined },
        )
      } catch (error) {
        // The account exists and holds the address, so nobody else can use the proof.
        node.log.error('failed to delete the proof of an e-mail address; it expires by itself', { error: String(error) })
      }
    },
  }
}

function isProof(stored: unknown, proof: string): boolean {
  const digest = (stored as { digest: string } | undefined)?.digest
  return digest !== undefined && constantTimeEqual(digest, secretDigest(proof))
}

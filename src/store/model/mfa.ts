/** Second factor of an account: the stored record and its public form (docs/interface/mfa.md). */

export const mfaMethods = ['totp', 'sms'] as const

/** Method of a second factor: authenticator app or text message. */
export type MfaMethod = (typeof mfaMethods)[number]

/** Authenticator app of the factor; digits and period are those at enrolment, regardless of later settings. */
interface Totp {
  /** Base32; encrypted at rest. */
  secret: string
  algorithm: 'sha1'
  digits: number
  periodSeconds: number
  /** In milliseconds. */
  confirmedAt: number
  /** Latest accepted time step; codes of this and earlier steps are refused. */
  lastUsedStep: number
}

/** A confirmed second factor. An account has one or none. */
export interface Enrolment {
  /** Distinguishes this enrolment from its replacement. */
  id: string
  method: MfaMethod
  /** Parameters for text messages: `phone`, and those of the operator's service. Empty for an app. */
  content: Record<string, string>
  /** SHA-256 of each recovery code, hexadecimal. */
  recoveryCodes: string[]
  totp?: Totp
}

/** Second factor as its owner sees it, without secrets. */
type PublicEnrolment = Pick<Enrolment, 'method' | 'content'> & {
  totp?: Pick<Totp, 'confirmedAt' | 'algorithm' | 'digits' | 'periodSeconds'>
}

/** Returns the factor as its owner sees it, without secrets. */
export function publicEnrolment({ method, content, totp }: Enrolment): PublicEnrolment {
  if (totp === undefined) return { method, content }
  const { confirmedAt, algorithm, digits, periodSeconds } = totp
  return { method, content, totp: { confirmedAt, algorithm, digits, periodSeconds } }
}

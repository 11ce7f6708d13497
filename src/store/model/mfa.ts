/** The second factor of an account: what is kept of it, and what its owner sees (specification, "Authentication and MFA methods"). */

export const mfaMethods = ['totp', 'sms'] as const

/** The ways of a second factor: an authenticator app, or codes by text message. */
export type MfaMethod = (typeof mfaMethods)[number]

/** An authenticator app's side of the factor; digits and period are those of the enrolment, whatever is set later. */
export interface Totp {
  /** Base32; sealed where it is stored. */
  secret: string
  algorithm: 'sha1'
  digits: number
  periodSeconds: number
  /** In milliseconds. */
  confirmedAt: number
  /** The latest step whose code was taken: no code of it or an earlier one is taken again. */
  lastUsedStep: number
}

/** A confirmed second factor. An account has one or none. */
export interface Enrolment {
  /** Tells this enrolment from one that replaces it. */
  id: string
  method: MfaMethod
  /** What text messages need: `phone`, and what the operator's service wants beside it. Empty for an app. */
  content: Record<string, string>
  /** SHA-256 of each recovery code, hexadecimal. */
  recoveryCodes: string[]
  totp?: Totp
}

/** The factor as its owner sees it: nothing that could stand in for it. */
export function publicEnrolment({ method, content, totp }: Enrolment): Record<string, unknown> {
  if (totp === undefined) return { method, content }
  const { confirmedAt, algorithm, digits, periodSeconds } = totp
  return { method, content, totp: { confirmedAt, algorithm, digits, periodSeconds } }
}

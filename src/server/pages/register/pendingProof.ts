/** Encrypted cookie with the state of an e-mail verification before registration. */
import type { Cookies } from '../cookies.js'
import type { Visit } from '../page.js'

/** State of the verification: a code was sent, or the address is verified with this proof. */
export type EmailVerification = { state: 'sent'; email: string } | { state: 'proved'; email: string; proof: string }

export function rememberVerification({ node: { config }, cookies }: Visit, verification: EmailVerification): void {
  const codeMs = config.get('account.emailVerification.registrationCodeMaxAgeMs')
  const proofMs = config.get('account.emailVerification.registrationProofMaxAgeMs')
  // Outlive the code and the proof, so that a page can report their expiry.
  cookies.set('register', JSON.stringify(verification), (codeMs + proofMs) / 1000)
}

export function verificationIn(cookies: Cookies): EmailVerification | undefined {
  const stored = cookies.get('register')
  return stored === undefined ? undefined : (JSON.parse(stored) as EmailVerification)
}

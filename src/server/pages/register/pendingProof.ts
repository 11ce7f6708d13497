/** What the browser keeps, sealed, where an address is proved before its account is made. */
import type { Cookies } from '../cookies.js'
import type { Visit } from '../page.js'

/** A code was sent to an address; or it was right, and this is the proof. */
export type Proving = { state: 'sent'; email: string } | { state: 'proved'; email: string; proof: string }

export function rememberProving({ node: { config }, cookies }: Visit, proving: Proving): void {
  const codeMs = config.get('account.emailVerification.registrationCodeMaxAgeMs')
  const proofMs = config.get('account.emailVerification.registrationProofMaxAgeMs')
  // Longer than either is good, so that a page can say that it is over.
  cookies.set('register', JSON.stringify(proving), (codeMs + proofMs) / 1000)
}

export function provingIn(cookies: Cookies): Proving | undefined {
  const stored = cookies.get('register')
  return stored === undefined ? undefined : (JSON.parse(stored) as Proving)
}

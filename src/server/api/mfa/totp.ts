/** Codes of authenticator apps: RFC 6238 with HMAC-SHA1, T0 = 0 (docs/interface/mfa.md#codes). */
import { randomBytes } from 'node:crypto'
import { generateSync, ScureBase32Plugin } from 'otplib'
import { constantTimeEqual } from '../../../store/model/constantTimeEqual.js'
import type { Context } from '../../call/context.js'

/** Parameters of TOTP codes. `secret` is Base32. */
interface TotpRule {
  secret: string
  digits: number
  periodSeconds: number
}

const SECRET_BYTES = 20
const base32 = new ScureBase32Plugin()

/** Returns a new secret in Base32: 32 characters without padding. */
export const newTotpSecret = (): string => base32.encode(randomBytes(SECRET_BYTES))

function codeOf({ secret, digits }: TotpRule, step: number): string {
  if (digits !== 6 && digits !== 7 && digits !== 8) throw new Error(`unsupported number of digits: ${digits}`)
  return generateSync({ strategy: 'hotp', secret, counter: step, digits })
}

/** Returns the time step of a code, among those around `now` (seconds) after `lastUsedStep`; undefined when none matches. */
export function stepOfCode(
  rule: TotpRule,
  code: string,
  at: { now: number; driftSteps: number; lastUsedStep: number },
): number | undefined {
  if (code.length !== rule.digits) return undefined
  const current = Math.floor(at.now / rule.periodSeconds)
  let found: number | undefined
  for (let step = current - at.driftSteps; step <= current + at.driftSteps; step++) {
    // Checks every step, for constant time; the earlier of two matching steps wins.
    const isSame = step >= 0 && constantTimeEqual(code, codeOf(rule, step))
    if (isSame && step > at.lastUsedStep) found ??= step
  }
  return found
}

/** Returns the otpauth URI that authenticator apps read, mostly from a QR code. */
export function otpauthUri(node: Context, username: string, { secret, digits, periodSeconds }: TotpRule): string {
  const issuer = issuerOf(node)
  const label = encodeURIComponent(`${issuer}:${username}`)
  const query = `secret=${secret}&issuer=${encodeURIComponent(issuer)}&algorithm=SHA1&digits=${digits}&period=${periodSeconds}`
  return `otpauth://totp/${label}?${query}`
}

function issuerOf(node: Context): string {
  const { config } = node
  const issuer = config.get('services.mfa.methods.totp.issuer')
  return issuer === '' ? (config.get('dns.domain') ?? config.get('service.name')) : issuer
}
